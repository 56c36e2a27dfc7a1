import { isIP } from "node:net";
import type { H3Event } from "h3";

/**
 * The network address that a request came from: the socket's, or with `hops` trusted proxies in front
 * the one that the outermost of them saw. IPv4 within IPv6 is given as IPv4. null: not known, as behind
 * a Unix socket.
 *
 * Choice: a forwarded list shorter than the proxies that should have written it is not believed at
 * all, since its sender then chose it.
 */
export function clientAddress(event: H3Event, hops: number): string | null {
  const socket = normalise(event.runtime?.node?.req.socket?.remoteAddress);
  if (hops === 0) return socket;
  const forwarded = (event.req.headers.get("x-forwarded-for") ?? "").split(",");
  return normalise(forwarded[forwarded.length - hops]) ?? socket;
}

function normalise(text: string | undefined): string | null {
  const bare = (text ?? "")
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\](:\d+)?$/, "$1")
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1")
    .replace(/%.*$/, "")
    .replace(/^::ffff:(?=\d+\.)/, "");
  return isIP(bare) === 0 ? null : bare;
}
