import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** The only IPv6 block that IANA gives to the public internet. Special ranges outside of it need no line anywhere. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Whether an IP address (or the IPv4 address mapped in it) is private, loopback, link-local or otherwise special. The
 * library keeps the list of the special ranges.
 *
 * @see IANA special-purpose address registries, RFC 6890
 */
export function isPrivateAddress(address: string): boolean {
  const parsed = ipaddr.process(address.replace(/^\[|\]$/g, "").replace(/%.*$/, ""));
  const isOutside = parsed.kind() === "ipv6" && !parsed.match(GLOBAL_IPV6);
  return isOutside || parsed.range() !== "unicast";
}

/** The IP address that a URL names directly. null: it has a host name. */
function literalAddress({ hostname }: URL): string | null {
  const plain = hostname.replace(/^\[|\]$/g, "");
  return isIP(plain) === 0 ? null : plain;
}

/** Whether a URL alone shows that it leads to this machine or its network. */
export function isPlainlyPrivate(url: URL): boolean {
  const literal = literalAddress(url);
  if (literal !== null) return isPrivateAddress(literal);
  return /(^|\.)localhost\.?$/i.test(url.hostname);
}

/** The error for a private address. `isRefusal` tells it from network faults. */
export function privateAddressError(host: string): Error & { isRefusal: true } {
  return Object.assign(new Error(`${host} is a private or internal address`), { isRefusal: true } as const);
}
