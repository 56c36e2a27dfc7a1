import type { H3Event } from "h3";
import { FastResponse } from "srvx";
import { z } from "zod";
import { findAccount } from "../domain/account/account.ts";
import { unsubscribe } from "../domain/email/unsubscription.ts";
import { Failure } from "../failure.ts";
import { id, text } from "../input/fields.ts";
import { readQuery } from "../http/parameters/form.ts";
import { shapeInput } from "../input/shape.ts";
import { newContext, type Services } from "../request/services.ts";

const linkParams = z.object({ cid: text, promoter: id, token: text });

/** `GET /unsubscribe`: asks first, as mail filters open links by themselves. */
export function unsubscribePage(): Response {
  return page(
    200,
    `<form method="post"><p>Do you want no more of these e-mails?</p><button>No more e-mails</button></form>`,
  );
}

/** `POST /unsubscribe`: by the page's button, or by a mail program's own. @see RFC 8058 */
export function unsubscribeByLink(services: Services) {
  return async (event: H3Event): Promise<Response> => {
    try {
      const { cid, promoter, token } = shapeInput(linkParams, readQuery(event));
      const account = await findAccount(services.store, cid);
      if (account === null) return invalid();
      await unsubscribe(newContext(services), account, { promoterId: promoter, token });
      return page(200, "<p>You will get no more of these e-mails.</p>");
    } catch (error) {
      if (error instanceof Failure && error.kind !== "unavailable") return invalid();
      throw error;
    }
  };
}

function invalid(): Response {
  return page(404, "<p>This link is not valid.</p>");
}

function page(status: number, content: string): Response {
  return new FastResponse(`<!doctype html><meta charset="utf-8"><title>E-mails</title>${content}`, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      // The address holds the token, so that nobody else is told of it.
      "referrer-policy": "no-referrer",
      "content-security-policy":
        "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
    },
  });
}
