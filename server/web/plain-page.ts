import { FastResponse } from "srvx";
import { NO_STORE, type AnswerHeaders } from "../http/answer.ts";

/** A short page without a script. It can't be shown in a frame, which prevents clickjacking. */
export function plainPage(
  title: string,
  content: string,
  { status = 200, headers = {} }: { status?: number; headers?: AnswerHeaders } = {},
): Response {
  return new FastResponse(plainHtml(title, content), {
    status,
    headers: {
      ...NO_STORE,
      "content-type": "text/html; charset=utf-8",
      // The URL may contain a token, which must not leak to other sites.
      "referrer-policy": "no-referrer",
      "content-security-policy":
        "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      ...headers,
    },
  });
}

function plainHtml(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
  </head>
  <body>
    <main><h1>${title}</h1>${content}</main>
  </body>
</html>
`;
}
