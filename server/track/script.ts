import { createHash } from "node:crypto";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { H3Event } from "h3";
import { FastResponse } from "srvx";

const HASH_LENGTH = 12;
/** Pages ask for `/svc.js` again after an hour, so that a new version reaches them the same day. */
const SHORT_CACHE = "public, max-age=3600";
const LONG_CACHE = "public, max-age=31536000, immutable";

/** The built browser script with its compressed forms. */
export interface Script {
  /** Changes with the text; part of the immutable copy's name. */
  hash: string;
  forms: { identity: Buffer; gzip: Buffer; br: Buffer };
}

/** Prepares a script for serving. */
export function newScript(text: string): Script {
  const identity = Buffer.from(text);
  return {
    hash: createHash("sha256").update(identity).digest("hex").slice(0, HASH_LENGTH),
    forms: { identity, gzip: gzipSync(identity, { level: 9 }), br: brotliCompressSync(identity) },
  };
}

/** `GET /svc.js`, and its content-hashed copy, which never changes. */
export function serveScript({ hash, forms }: Script, { isImmutable }: { isImmutable: boolean }) {
  return (event: H3Event): Response => {
    const encoding = chooseEncoding(event.req.headers.get("accept-encoding") ?? "");
    const headers: Record<string, string> = {
      "cache-control": isImmutable ? LONG_CACHE : SHORT_CACHE,
      etag: `"${hash}-${encoding}"`,
      vary: "accept-encoding",
      // Pages under COEP and integrity attributes may load it from any site.
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
    };
    const known = event.req.headers.get("if-none-match") ?? "";
    if (known.includes(hash)) return new FastResponse(null, { status: 304, headers });
    headers["content-type"] = "text/javascript; charset=utf-8";
    if (encoding !== "identity") headers["content-encoding"] = encoding;
    return new FastResponse(new Uint8Array(forms[encoding]), { headers });
  };
}

function chooseEncoding(accepted: string): keyof Script["forms"] {
  if (/\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepted)) return "br";
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepted) ? "gzip" : "identity";
}
