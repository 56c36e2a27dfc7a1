import { lookup as systemLookup, promises as dns, type LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { isPrivateAddress, privateAddressError } from "./address.ts";

/** Finds the addresses of a name. @throws Error where it has none, or none that answers in time */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

/** Name servers get two tries; both together take less than a receiver's usual ten seconds. */
const DNS_LIMITS = { timeout: 2_000, tries: 2 };
/** Of the four threads that the system's own way of asking shares with the writes of the store. */
const SYSTEM_LOOKUPS = 2;
/** By which name servers say that they know no such name, or that there are none. */
const UNKNOWN = new Set(["ENOTFOUND", "ENODATA", "ECONNREFUSED", "EBADNAME"]);

/**
 * Resolves names for connections and leaves out private addresses, unless they are allowed. As the
 * connection goes to what this gives, a name that resolves to something else a moment later gains nothing.
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
 * Makes a way to resolve names that a name server which hangs can't clog: name servers are asked without
 * a thread, and the system, which knows local names but takes a thread for each, little at a time.
 */
export function newResolve(askSystem: Resolve = resolveBySystem): Resolve {
  const resolver = new dns.Resolver(DNS_LIMITS);
  const limited = atMost(SYSTEM_LOOKUPS, askSystem);
  return async (host) => {
    // Names of one label are local ones.
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

function addressesOf(result: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return result.status === "rejected" ? [] : result.value.map((address) => ({ address, family }));
}

/** Runs so many at a time, and one alone for each name; others wait for their turn. */
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
      // Whoever waits takes the turn over.
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
