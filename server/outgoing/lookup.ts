import { lookup as systemLookup, promises as dns, type LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";

/** Finds the addresses of a host name. @throws Error if it has none, or no name server answers in time */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

/** Each name server gets two tries. Together they stay below ten seconds, a receiver's default timeout. */
const DNS_LIMITS = { timeout: 2_000, tries: 2 };
/** The system's lookup and the store's writes share the four threads of Node's pool. */
const SYSTEM_LOOKUPS = 2;
/** The codes that say a name does not exist, or that there is no name server. */
const UNKNOWN = new Set(["ENOTFOUND", "ENODATA", "ECONNREFUSED", "EBADNAME"]);

/**
 * Resolves names for connections and leaves out private addresses, unless they are allowed.
 * The connection goes to the address that was checked here. A name that resolves to another address a moment
 * later gains nothing (DNS rebinding).
 */
export function newLookup({
  allowsPrivate,
  resolve = newResolve(),
}: {
  allowsPrivate: boolean;
  resolve?: Resolve;
}): LookupFunction {
  return async (host, options, callback) => {
    const found = await resolve(host).catch((error: Error) => error);
    if (found instanceof Error) return callback(found, []);
    const open = found.filter(({ address }) => allowsPrivate || !isPrivateAddress(address));
    const [first] = open;
    if (first === undefined) return callback(privateAddressError(host), []);
    return options.all ? callback(null, open) : callback(null, first.address, first.family);
  };
}

/**
 * Makes a resolver that a slow name server can't block. Name servers are queried without a thread. The
 * system's lookup, which also knows local names, needs a thread for each query, so only a few run at a time.
 */
export function newResolve(askSystem: Resolve = resolveBySystem): Resolve {
  const resolver = new dns.Resolver(DNS_LIMITS);
  const limited = atMost(SYSTEM_LOOKUPS, askSystem);
  return async (host) => {
    // A name without a dot is a local name.
    if (!host.includes(".") || /\.localhost\.?$/i.test(host)) return limited(host);
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const found = [...addressesOf(four, 4), ...addressesOf(six, 6)];
    if (found.length > 0) return found;
    const faults = [four, six].flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    const fault = faults.find(({ code }: NodeJS.ErrnoException) => !UNKNOWN.has(String(code)));
    if (fault !== undefined) throw fault;
    return limited(host);
  };
}

/**
 * The only IPv6 block that IANA assigns to the public internet. Special ranges outside of it need no entry.
 */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Whether an IP address (or the IPv4 address mapped in it) is private, loopback, link-local or otherwise
 * special. The library has the list of the special ranges.
 *
 * @see IANA special-purpose address registries, RFC 6890
 */
export function isPrivateAddress(address: string): boolean {
  const parsed = ipaddr.process(address.replace(/^\[|\]$/g, "").replace(/%.*$/, ""));
  const isOutside = parsed.kind() === "ipv6" && !parsed.match(GLOBAL_IPV6);
  return isOutside || parsed.range() !== "unicast";
}

/** Whether a URL alone shows that it leads to this machine or its network. */
export function isPlainlyPrivate(url: URL): boolean {
  const literal = literalAddress(url);
  if (literal !== null) return isPrivateAddress(literal);
  return /(^|\.)localhost\.?$/i.test(url.hostname);
}

/** The error for a private address. `isRefusal` distinguishes it from network faults. */
export function privateAddressError(host: string): Error & { isRefusal: true } {
  return Object.assign(new Error(`${host} is a private or internal address`), { isRefusal: true } as const);
}

function addressesOf(result: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return result.status === "rejected" ? [] : result.value.map((address) => ({ address, family }));
}

/** Runs at most `limit` lookups at a time, and one per name. Others wait for their turn. */
function atMost(limit: number, resolve: Resolve): Resolve {
  const underWay = new Map<string, Promise<LookupAddress[]>>();
  const waiting: (() => void)[] = [];
  let running = 0;

  async function inTurn(host: string): Promise<LookupAddress[]> {
    if (running >= limit) await new Promise<void>((proceed) => waiting.push(proceed));
    else running += 1;
    try {
      return await resolve(host);
    } finally {
      underWay.delete(host);
      const next = waiting.shift();
      // A waiting lookup takes over this turn.
      if (next === undefined) running -= 1;
      else next();
    }
  }
  return (host) => {
    const found = underWay.get(host) ?? inTurn(host);
    underWay.set(host, found);
    return found;
  };
}

function resolveBySystem(host: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(host, { all: true }, (error, found) => (error === null ? resolve(found) : reject(error)));
  });
}

/** The IP address that a URL names directly, or null if it has a host name. */
function literalAddress({ hostname }: URL): string | null {
  const plain = hostname.replace(/^\[|\]$/g, "");
  return isIP(plain) === 0 ? null : plain;
}
