import type { Config } from "../config.ts";
import { failureLimiter } from "../http/limits/failure-limit.ts";
import { rateLimiter } from "../http/limits/rate-limit.ts";
import type { Services } from "../request/services.ts";
import type { Store } from "../storage/store.ts";

const PUBLIC_SIGNUPS_PER_MINUTE = 60;
/** A provider sends all its events from a few addresses. */
const HOOKS_PER_MINUTE = 3_000;
/** Enough for an office behind one address at nine o'clock. */
const SIGN_INS_PER_MINUTE = 30;
/** Enough for somebody who mistypes. */
const SIGN_INS_BY_PAIR_PER_MINUTE = 10;
/** Far too few to guess a password. Nobody reaches it, and so keeps somebody out, from fewer than ten networks. */
const SIGN_INS_BY_EMAIL_PER_MINUTE = 100;
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
    signInsByPair: rateLimiter(limiting("sign-ins-by-pair", SIGN_INS_BY_PAIR_PER_MINUTE)),
    signInsByEmail: rateLimiter(limiting("sign-ins-by-email", SIGN_INS_BY_EMAIL_PER_MINUTE)),
    signInEmails: rateLimiter(limiting("sign-in-emails", SIGN_IN_EMAILS_PER_MINUTE)),
    authTokens: rateLimiter(limiting("auth-tokens", AUTH_TOKENS_PER_MINUTE)),
    failedAuthentication: failureLimiter(limiting("failures", FAILED_TRIES_PER_MINUTE)),
  };
}
