import {
  rateLimiter,
  windowLimiter,
  type CountPlace,
  type RateLimitState,
} from "../http/limits/rate-limit.ts";
import { networkOf, siteOf } from "../http/client-address.ts";

const DAY_SECONDS = 24 * 60 * 60;
/** A company's /48 may have many offices, each with a network of its own. */
const NETWORKS_OF_A_SITE = 10;
/** One site may use up a tenth of an account's day, so that it closes nothing for others. */
const SITES_OF_A_DAY = 10;

/** The limits of what browsers send without a key. The state is null if there is no limit. */
export interface PublicLimit {
  /** Counts a request, before anything of it is read. */
  takeRequest(address: string | null): Promise<RateLimitState | null>;
  /** Counts what an account may have to keep. */
  takeRecord(accountId: number, address: string | null): Promise<RateLimitState | null>;
}

/** The numbers of a public limit; 0 means no limit. */
interface PublicNumbers extends CountPlace {
  name: string;
  /** Requests from each network. */
  perMinute: number;
  /** Requests for each account. */
  perDay: number;
}

/** Makes a limit. A request over the smaller one does not count in the larger one. */
export function publicLimit({ name, database = null, perMinute, perDay }: PublicNumbers): PublicLimit {
  const byNetwork = rateLimiter({ name, database, limitPerMinute: perMinute });
  const bySite = rateLimiter({
    name: `${name}-by-site`,
    database,
    limitPerMinute: perMinute * NETWORKS_OF_A_SITE,
  });
  const ofDay = { database, seconds: DAY_SECONDS };
  const bySiteAndDay = windowLimiter({
    ...ofDay,
    name: `${name}-by-site-and-day`,
    limit: Math.ceil(perDay / SITES_OF_A_DAY),
  });
  const byDay = windowLimiter({ ...ofDay, name: `${name}-by-day`, limit: perDay });
  return {
    async takeRequest(address) {
      const state = await byNetwork.take(networkOf(address));
      // An IPv4 address is its own site.
      return state?.allowed === false || siteOf(address) === networkOf(address)
        ? state
        : bySite.take(siteOf(address));
    },
    async takeRecord(accountId, address) {
      const state = await bySiteAndDay.take(`${accountId} ${siteOf(address)}`);
      return state?.allowed === false ? state : byDay.take(String(accountId));
    },
  };
}
