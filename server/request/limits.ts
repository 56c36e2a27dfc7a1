import type { CountPlace } from "../http/limits/limit-counter.ts";
import { failureLimiter, guessLimiter, rateLimiter, windowLimiter } from "../http/limits/rate-limit.ts";

const HOUR_SECONDS = 60 * 60;
const DAY_SECONDS = 24 * HOUR_SECONDS;
/** In a year, one attacker in a hundred would hit one of the three codes that are valid at a time. */
const WRONG_CODES = { wrongGuesses: 6, seconds: DAY_SECONDS };

/** How many are allowed, in a minute unless `newLimits` says otherwise. */
export const ALLOWED = {
  publicSignups: 60,
  /** A provider sends all its events from a few addresses. */
  hooks: 3_000,
  /** Enough for an office behind one address at nine o'clock. */
  signIns: 30,
  /** A company may have many offices in a /48. */
  signInsBySite: 120,
  /** Enough for a person who mistypes. */
  signInsByPair: 10,
  /** Far too few to guess a password. */
  signInsByEmail: 100,
  signInEmails: 10,
  /** @see docs/spec/events.md "E-mails" */
  mailsByMailbox: 5,
  /** @see docs/spec/common.md "Authentication", 5 */
  authTokens: 1,
  failedAuthentication: 30,
  /** Enough for someone who comes back from a form and reloads the page. */
  outsideChecks: 10,
};

/** The numbers of all limits. 0: no limit. */
export type Allowed = typeof ALLOWED & Record<"v1" | "v2" | "publicClicks" | "joins", number>;

/** The limits of a server. */
export type Limits = ReturnType<typeof newLimits>;

/** Makes the limits of a server, which all servers of one database share. */
export function newLimits(allowed: Allowed, database: CountPlace["database"] = null) {
  const limiting = (name: string, limitPerMinute: number) => ({ name, limitPerMinute, database });
  return {
    v1: rateLimiter(limiting("v1", allowed.v1)),
    v2: rateLimiter(limiting("v2", allowed.v2)),
    publicClicks: rateLimiter(limiting("clicks", allowed.publicClicks)),
    publicSignups: rateLimiter(limiting("signups", allowed.publicSignups)),
    /** Events of billing providers. */
    hooks: rateLimiter(limiting("hooks", allowed.hooks)),
    /** Attempts to sign in, by network. */
    signIns: rateLimiter(limiting("sign-ins", allowed.signIns)),
    /** Attempts to sign in, by the larger network that IPv6 networks are part of. */
    signInsBySite: rateLimiter(limiting("sign-ins-by-site", allowed.signInsBySite)),
    /** Attempts to sign in, by network and e-mail address together. Also those of a known browser. */
    signInsByPair: rateLimiter(limiting("sign-ins-by-pair", allowed.signInsByPair)),
    /** Attempts to sign in, by e-mail address, from all unknown browsers. */
    signInsByEmail: rateLimiter(limiting("sign-ins-by-email", allowed.signInsByEmail)),
    /** E-mails with a requested link, by recipient. */
    signInEmails: rateLimiter(limiting("sign-in-emails", allowed.signInEmails)),
    /** E-mails caused by unauthenticated requests, by mailbox and day. */
    mailsByMailbox: windowLimiter({
      name: "mails",
      database,
      limit: allowed.mailsByMailbox,
      seconds: DAY_SECONDS,
    }),
    /** Applications to a campaign per hour. */
    joins: windowLimiter({ name: "joins", database, limit: allowed.joins, seconds: HOUR_SECONDS }),
    /** Wrong codes of a second factor. */
    wrongCodes: guessLimiter({ name: "wrong-codes", database, ...WRONG_CODES }),
    /** Sign-ins by an auth token in the portal's address, by token. */
    authTokens: rateLimiter(limiting("auth-tokens", allowed.authTokens)),
    failedAuthentication: failureLimiter(limiting("failures", allowed.failedAuthentication)),
    /** Requests that make the server ask another one about a promoter, by promoter. */
    outsideChecks: rateLimiter(limiting("outside-checks", allowed.outsideChecks)),
  };
}
