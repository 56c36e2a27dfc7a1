import { isIP } from "node:net";
import type { H3Event } from "h3";

/**
 * The network address of the client: the socket's or, with `hops` trusted proxies in front, the one that the outermost of
 * them saw. It is null if unknown, for example behind a Unix socket.
 *
 * A forwarded list with fewer entries than there are proxies is ignored, because the client wrote it.
 */
export function clientAddress(event: H3Event, hops: number): string | null {
  const socket = normaliseAddress(event.runtime?.node?.req.socket?.remoteAddress ?? "");
  if (hops === 0) return socket;
  const forwarded = (event.req.headers.get("x-forwarded-for") ?? "").split(",");
  return normaliseAddress(forwarded[forwarded.length - hops] ?? "") ?? socket;
}

/**
 * Normalises a network address, so that equal addresses are equal texts: no port or zone, IPv6 in its shortest form, IPv4
 * within IPv6 as IPv4. It returns null if the text is not an address.
 */
export function normaliseAddress(text: string): string | null {
  if (isIP(text) === 4) return text;
  const bare = text
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\](:\d+)?$/, "$1")
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1")
    .replace(/%.*$/, "");
  if (isIP(bare) !== 6) return isIP(bare) === 4 ? bare : null;
  const shortest = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(shortest) ?? [];
  return high && low ? [...bytes(high), ...bytes(low)].join(".") : shortest;
}

/**
 * The network that limits count by: the IPv4 address, or the /64 network of an IPv6 address. Every household has at least
 * a /64, so single addresses are useless for limits.
 */
export function networkOf(address: string | null): string {
  return blockOf(address, 64);
}

/** The /48 network of an IPv6 address. A company or a rented server may have a whole one, with 65,536 /64 networks. */
export function siteOf(address: string | null): string {
  return blockOf(address, 48);
}

function blockOf(address: string | null, bits: number): string {
  if (address === null) return "unknown";
  if (!address.includes(":")) return address;
  const [start = "", end = ""] = address.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = Array.from({ length: 8 - start.length - end.length }, () => "0");
  return `${[...start, ...zeros, ...end].slice(0, bits / 16).join(":")}::/${bits}`;
}

/** The two bytes of an IPv6 group. */
function bytes(group: string): [number, number] {
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 255];
}
