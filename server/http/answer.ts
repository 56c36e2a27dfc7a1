import { FastResponse } from "srvx";

/** Header names and values of an answer. */
export type AnswerHeaders = Record<string, string>;

/** No cache on the way may keep what was answered to one caller for another. */
export const NO_STORE: Readonly<AnswerHeaders> = { "cache-control": "no-store" };

/** A JSON answer; 200 unless told otherwise. */
export function json(value: unknown, headers: AnswerHeaders = {}, status = 200): Response {
  return new FastResponse(JSON.stringify(value), {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
  });
}

/** A plain text answer. */
export function plainText(text: string, headers: AnswerHeaders = {}, status = 200): Response {
  return new FastResponse(text, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", ...headers },
  });
}
