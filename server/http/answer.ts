import { createHash } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { FastResponse } from "srvx";
import { z } from "zod";
import type { H3Event } from "h3";
import { field } from "./fields.ts";

/** Header names and values of an answer. */
export type AnswerHeaders = Record<string, string>;

/** Keeps caches from storing a private answer. */
export const NO_STORE: Readonly<AnswerHeaders> = { "cache-control": "no-store" };

/** A JSON answer, 200 by default. */
export function json(value: unknown, headers: AnswerHeaders = {}, status = 200): Response {
  return new FastResponse(JSON.stringify(value), {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
  });
}

const ACCEPTED = Symbol("accepted");

/** Marks the answer to a request that is completed later, so that its status is 202. The mark is not in the JSON. */
export function accepted<T extends object>(answer: T): T {
  return { ...answer, [ACCEPTED]: true };
}

/** Whether an answer was marked by `accepted`. */
export function isAccepted(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && ACCEPTED in answer;
}

/** What an event that was answered with 202 waits for. */
export const waitingForAnswer = z
  .object({
    currency: field(z.string(), "The currency without a rate (ISO 4217).", "EUR"),
    date: field(z.iso.date(), "Day of the rate, in UTC.", "2026-03-04"),
    message: field(
      z.string(),
      "The same for people.",
      "There is no exchange rate from EUR to USD for 2026-03-04. The event is kept, and recorded when there is one.",
    ),
  })
  .meta({ id: "WaitingFor" });

/** The missing rate, and a sentence about it. */
export function waitingForJson(
  { from, day }: { from: string; day: string },
  sentence: string,
): z.output<typeof waitingForAnswer> {
  const message = `${sentence}. The event is kept, and recorded when there is one.`;
  return { currency: from, date: day, message };
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

/** A file of this media type. */
export function file(bytes: Uint8Array, media: string, headers: AnswerHeaders): Response {
  return new FastResponse(new Uint8Array(bytes), {
    status: 200,
    headers: { "content-type": media, ...headers },
  });
}

/** A streamed answer of texts or bytes. An error half way closes the connection. */
export function streamed(
  parts: AsyncIterable<string | Uint8Array>,
  media: string,
  headers: AnswerHeaders,
): Response {
  const iterator = parts[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
    },
    // The client has disconnected.
    cancel: async () => void (await iterator.return?.()),
  });
  const type = media === "application/zip" ? media : `${media}; charset=utf-8`;
  return new FastResponse(stream, { status: 200, headers: { "content-type": type, ...headers } });
}

/** Whether an answer is a list that is written item by item. */
export function isStream(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer;
}

/** The text of a JSON array, item by item. */
export async function* jsonArray(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  let before = "[";
  for await (const item of items) {
    yield before + JSON.stringify(item);
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}

/** Adds cookies to an answer, each in its own header. */
export function withCookies(answer: Response, cookies: string[]): Response {
  for (const cookie of cookies) answer.headers.append("set-cookie", cookie);
  return answer;
}

/** An answer without a body. */
export function empty(headers: AnswerHeaders = {}): Response {
  return new FastResponse(null, { status: 204, headers });
}

const HASH_LENGTH = 12;
/** Brotli's best compression takes seconds for a large text. */
const SMALL_BYTES = 64 * 1024;
const FAST_QUALITY = 5;

/** A text that is served often, compressed only once. */
export interface StoredText {
  /** Changes with the text. */
  hash: string;
  forms: Record<"identity" | "gzip" | "br", Uint8Array<ArrayBuffer>>;
}

/** Prepares a text for serving. */
export function storeText(text: string): StoredText {
  const identity = new TextEncoder().encode(text);
  const quality = identity.length < SMALL_BYTES ? constants.BROTLI_MAX_QUALITY : FAST_QUALITY;
  const br = brotliCompressSync(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
  return {
    hash: createHash("sha256").update(identity).digest("hex").slice(0, HASH_LENGTH),
    forms: {
      identity,
      gzip: new Uint8Array(gzipSync(identity, { level: 9 })),
      br: new Uint8Array(br),
    },
  };
}

/**
 * Answers with a stored text in the best encoding that the client accepts, or with 304 if it already has the text.
 */
export function serveStored(event: H3Event, { hash, forms }: StoredText, given: AnswerHeaders): Response {
  const encoding = chooseEncoding(event.req.headers.get("accept-encoding") ?? "");
  const { "content-type": type = "text/plain; charset=utf-8", ...others } = given;
  const headers = {
    ...others,
    etag: `"${hash}-${encoding}"`,
    vary: "accept-encoding",
  };
  const known = event.req.headers.get("if-none-match") ?? "";
  if (known.includes(hash)) return new FastResponse(null, { status: 304, headers });
  const body = forms[encoding];
  return new FastResponse(body, {
    headers: {
      ...headers,
      "content-type": type,
      "content-length": String(body.length),
      ...(encoding !== "identity" && { "content-encoding": encoding }),
    },
  });
}

function chooseEncoding(accepted: string): keyof StoredText["forms"] {
  if (/\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepted)) return "br";
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepted) ? "gzip" : "identity";
}
