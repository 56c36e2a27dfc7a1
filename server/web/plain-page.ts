import type { H3Event } from "h3";
import { FastResponse } from "srvx";
import { NO_STORE, type AnswerHeaders } from "../http/answer.ts";
import {
  directionOf,
  preferredLanguage,
  textsOf,
  type Language,
  type Say,
  type TextKey,
} from "../languages/languages.ts";
import { escapeHtml } from "../markup.ts";

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
      "x-content-type-options": "nosniff",
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
