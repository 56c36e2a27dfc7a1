import { BlockList, isIP } from "node:net";

/** Networks that no receiver on the public internet is in. @see IANA special-purpose address registries, RFC 6890 */
const PRIVATE_NETWORKS = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "::/96", // loopback, and an old way to write IPv4 addresses
  "::ffff:0:0:0/96",
  "100::/64",
  "64:ff9b::/96", // these three lead to IPv4 addresses, private ones included
  "64:ff9b:1::/48",
  "2002::/16",
  "2001::/23",
  "2001:db8::/32",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
];

const blocked = new BlockList();
for (const network of PRIVATE_NETWORKS) {
  const [address = "", bits] = network.split("/");
  blocked.addSubnet(address, Number(bits), address.includes(":") ? "ipv6" : "ipv4");
}

/** Whether an IP address (or the IPv4 address mapped in it) is private, loopback, link-local or otherwise special. */
export function isPrivateAddress(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  return blocked.check(plain, isIP(plain) === 6 ? "ipv6" : "ipv4");
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
