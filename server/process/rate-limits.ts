import type { Config } from "../config.ts";
import { failureLimiter, guessLimiter, rateLimiter, windowLimiter } from "../http/limits/rate-limit.ts";
import type { Services } from "../request/services.ts";
import type { Store } from "../storage/store.ts";

const HOUR_SECONDS = 60 * 60;
const DAY_SECONDS = 24 * HOUR_SECONDS;
const PUBLIC_SIGNUPS_PER_MINUTE = 60;
/** A provider sends all its events from a few addresses. */
const HOOKS_PER_MINUTE = 3_000;
/** Enough for an office behind one address at nine o'clock. */
const SIGN_INS_PER_MINUTE = 30;
/** A company may have many offices in a /48. */
const SIGN_INS_BY_SITE_PER_MINUTE = 120;
/** Enough for a person who mistypes. */
const SIGN_INS_BY_PAIR_PER_MINUTE = 10;
/** Far too few to guess a password. */
const SIGN_INS_BY_EMAIL_PER_MINUTE = 100;
/** In a year, one attacker in a hundred would hit one of the three codes that are valid at a time. */
const WRONG_CODES = { wrongGuesses: 6, seconds: DAY_SECONDS };
/** @see docs/spec/events.md "E-mails" */
const MAILS_PER_DAY = 5;
const SIGN_IN_EMAILS_PER_MINUTE = 10;
/** @see docs/spec/common.md "Authentication", 5 */
const AUTH_TOKENS_PER_MINUTE = 1;
const FAILED_TRIES_PER_MINUTE = 30;

/** Makes the limits of a server, which all servers of one database share. */
export function newLimits(config: Config, { limits: database }: Store): Services["limits"] {
  const limiting = (name: string, limitPerMinute: number) => ({ name, limitPerMinute, database });
  return {
    v1: rateLimiter(limiting("v1", config.rateLimitV1)),
    v2: rateLimiter(limiting("v2", config.rateLimitV2)),
    publicClicks: rateLimiter(limiting("clicks", config.rateLimitClicks)),
    publicSignups: rateLimiter(limiting("signups", PUBLIC_SIGNUPS_PER_MINUTE)),
    hooks: rateLimiter(limiting("hooks", HOOKS_PER_MINUTE)),
    signIns: rateLimiter(limiting("sign-ins", SIGN_INS_PER_MINUTE)),
    signInsBySite: rateLimiter(limiting("sign-ins-by-site", SIGN_INS_BY_SITE_PER_MINUTE)),
    signInsByPair: rateLimiter(limiting("sign-ins-by-pair", SIGN_INS_BY_PAIR_PER_MINUTE)),
    signInsByEmail: rateLimiter(limiting("sign-ins-by-email", SIGN_INS_BY_EMAIL_PER_MINUTE)),
    signInEmails: rateLimiter(limiting("sign-in-emails", SIGN_IN_EMAILS_PER_MINUTE)),
    mailsByMailbox: windowLimiter({ name: "mails", database, limit: MAILS_PER_DAY, seconds: DAY_SECONDS }),
    joins: windowLimiter({ name: "joins", database, limit: config.rateLimitJoins, seconds: HOUR_SECONDS }),
    wrongCodes: guessLimiter({ name: "wrong-codes", database, ...WRONG_CODES }),
    authTokens: rateLimiter(limiting("auth-tokens", AUTH_TOKENS_PER_MINUTE)),
    failedAuthentication: failureLimiter(limiting("failures", FAILED_TRIES_PER_MINUTE)),
  };
}
