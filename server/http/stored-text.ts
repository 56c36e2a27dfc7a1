import { createHash } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { H3Event } from "h3";
import { FastResponse } from "srvx";
import type { AnswerHeaders } from "./answer.ts";

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
    "x-content-type-options": "nosniff",
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
