import type { IncomingMessage } from "node:http";

/**
 * Whether a proxy in front may have read a request differently from us, so that one request could be smuggled
 * inside another. This concerns several `Host` headers (RFC 9112, 3.2), of which Node keeps the first, and
 * bodies with an encoding other than chunked (6.1), which Node ignores.
 */
export function isAmbiguous({ headers, rawHeaders }: IncomingMessage): boolean {
  const encoding = headers["transfer-encoding"];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "chunked") return true;
  let hostCount = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === "host".length && name.toLowerCase() === "host") hostCount++;
  }
  return hostCount > 1;
}
