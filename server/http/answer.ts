import { FastResponse } from "srvx";

/** Header names and values of an answer. */
export type AnswerHeaders = Record<string, string>;

/** Keeps caches from storing an answer that is meant for one caller. */
export const NO_STORE: Readonly<AnswerHeaders> = { "cache-control": "no-store" };

/** A JSON answer, 200 by default. */
export function json(value: unknown, headers: AnswerHeaders = {}, status = 200): Response {
  return new FastResponse(JSON.stringify(value), {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
  });
}

/** A plain text answer. */
export function plainText(body: string, headers: AnswerHeaders = {}, status = 200): Response {
  return new FastResponse(body, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", ...headers },
  });
}

/** A text answer of this media type. */
export function text(body: string, media: string, headers: AnswerHeaders): Response {
  return new FastResponse(body, {
    status: 200,
    headers: { "content-type": `${media}; charset=utf-8`, ...headers },
  });
}

/** An answer without a body. */
export function empty(headers: AnswerHeaders = {}): Response {
  return new FastResponse(null, { status: 204, headers });
}
