import type { H3Event } from "h3";
import { z } from "zod";
import { FastResponse } from "srvx";
import { findAccount } from "../domain/program/account/account.ts";
import { unsubscribe } from "../domain/events/email.ts";
import { Failure } from "../failure.ts";
import { id, text } from "../input/fields.ts";
import { readQuery } from "../http/parameters/form.ts";
import { shapeInput } from "../input/shape.ts";
import { newContext, type Services } from "../request/services.ts";
import { holdPayouts } from "../domain/ledger/payout-method/changes.ts";
import {
  type TextKey,
  directionOf,
  preferredLanguage,
  textsOf,
  type Language,
  type Say,
} from "../languages/languages.ts";
import { NO_STORE, type AnswerHeaders } from "../http/answer.ts";
import { escapeHtml } from "../markup.ts";

const unsubscribeParams = z.object({ cid: text, promoter: id, token: text });

/** `GET /unsubscribe` only asks for confirmation, because mail filters open links. */
export function unsubscribePage(event: H3Event): Response {
  return plainPage(event, {
    title: "page.emails",
    content: (say) => question([say("page.emails.ask")], say("page.emails.stop")),
  });
}

/** `POST /unsubscribe`, by the page's button or by the mail program. @see RFC 8058 */
export function unsubscribeByLink(services: Services) {
  return async (event: H3Event): Promise<Response> => {
    try {
      const { cid, promoter, token } = shapeInput(unsubscribeParams, readQuery(event));
      const account = await findAccount(services.store, cid);
      if (account === null) return invalid(event);
      await unsubscribe(newContext(services), account, { promoter_id: promoter, token });
      return plainPage(event, {
        title: "page.emails",
        content: (say) => paragraph(say, "page.emails.stopped"),
      });
    } catch (error) {
      if (error instanceof Failure && error.kind !== "unavailable") return invalid(event);
      throw error;
    }
  };
}

function invalid(event: H3Event): Response {
  return plainPage(event, {
    title: "page.emails",
    content: (say) => paragraph(say, "page.link.invalid"),
    status: 404,
  });
}

const NOT_ME = "page.method";

const notMeParams = z.object({ cid: text, promoter: id, at: z.iso.datetime(), token: text });

/** `GET /not-me`: only asks, because mail filters open links on their own. */
export function notMePage(event: H3Event): Response {
  return plainPage(event, {
    title: NOT_ME,
    content: (say) => question([say("page.method.ask")], say("page.method.not_me")),
  });
}

/** `POST /not-me`: a promoter says that someone else has changed their payout method. */
export function holdByLink(services: Services) {
  return async (event: H3Event): Promise<Response> => {
    try {
      const { cid, promoter, at, token } = shapeInput(notMeParams, readQuery(event));
      const account = await findAccount(services.store, cid);
      if (account === null) return page(event, 404, "page.link.invalid");
      const context = newContext(services, { kind: "promoter", id: promoter, name: null });
      const change = { promoter_id: promoter, changed_at: at, token };
      await context.store.transact((tx) => holdPayouts(tx, context, account, change));
      return page(event, 200, "page.method.held");
    } catch (error) {
      if (!(error instanceof Failure) || error.kind === "unavailable") throw error;
      return error.kind === "refused"
        ? page(event, 410, "page.link.used")
        : page(event, 404, "page.link.invalid");
    }
  };
}

function page(event: H3Event, status: number, text: TextKey): Response {
  return plainPage(event, { title: NOT_ME, content: (say) => paragraph(say, text), status });
}

interface PlainPage {
  /** The key of the title. */
  title: TextKey;
  /** The HTML of its content, in the language of the browser. */
  content: (say: Say) => string;
  status?: number;
  headers?: AnswerHeaders;
}

/** A short page without a script, in the language of the browser. It can't be shown in a frame, which prevents clickjacking. */
export function plainPage(
  { req }: Pick<H3Event, "req">,
  { title, content, status = 200, headers = {} }: PlainPage,
): Response {
  const language = preferredLanguage(req.headers.get("accept-language")) ?? "en";
  return new FastResponse(htmlOf(language, title, content), {
    status,
    headers: {
      ...NO_STORE,
      "content-type": "text/html; charset=utf-8",
      vary: "accept-language",
      // The URL may contain a token, which must not leak to other sites.
      "referrer-policy": "no-referrer",
      "content-security-policy":
        "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      ...headers,
    },
  });
}

/** A paragraph with a text. The values in it are escaped. */
export function paragraph(say: Say, ...[key, values]: Parameters<Say>): string {
  return `<p>${escapeHtml(say(key, values))}</p>`;
}

/** A form that asks, and its button. Both are texts, which are escaped. */
export function question(ask: string[], action: string): string {
  const paragraphs = ask.map((text) => `<p>${escapeHtml(text)}</p>`).join("");
  return `<form method="post">${paragraphs}<button>${escapeHtml(action)}</button></form>`;
}

function htmlOf(language: Language, title: TextKey, content: PlainPage["content"]): string {
  const say = textsOf(language);
  const heading = escapeHtml(say(title));
  return `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <meta name="color-scheme" content="light dark">
    <title>${heading}</title>
  </head>
  <body>
    <main><h1>${heading}</h1>${content(say)}</main>
  </body>
</html>
`;
}
