import type { H3Event } from "h3";
import { Failure } from "../failure.ts";
import { clientAddress, networkOf } from "../http/client-address.ts";
import type { RateLimiter } from "../http/limits/rate-limit.ts";
import type { Services } from "./services.ts";

/** Limits the attempts of a caller. Both throw a Failure `rate_limited`. */
export interface SignInLimits {
  /** Counts an attempt to sign in or to prove a password. null: it names no e-mail address. */
  limit(email: string | null): Promise<void>;
  /** Counts a wish for an e-mail to this address. */
  limitEmail(email: string): Promise<void>;
}

/**
 * The limits of a request. `kind` keeps a user and a promoter with one e-mail address apart.
 *
 * The strict limit of attempts is for a network and an address together: somebody who guesses a password must not keep
 * its owner out, who comes from elsewhere. The limit of the address alone only stops guesses from many networks. A
 * refused attempt does not count against the next limit, because otherwise one network could use up that of an address.
 */
export function signInLimits(
  { limits, trustProxyHops }: Pick<Services, "limits" | "trustProxyHops">,
  event: H3Event,
  kind: "user" | "promoter",
): SignInLimits {
  const network = networkOf(clientAddress(event, trustProxyHops));
  const nameOf = (email: string) => `${kind} ${email.trim().toLowerCase()}`;
  return {
    async limit(email) {
      await take(limits.signIns, network);
      if (email === null) return;
      await take(limits.signInsByPair, `${network} ${nameOf(email)}`);
      await take(limits.signInsByEmail, nameOf(email));
    },
    async limitEmail(email) {
      await take(limits.signIns, network);
      await take(limits.signInEmails, nameOf(email), "Too many e-mails to this address");
    },
  };
}

/** @throws Failure `rate_limited` */
async function take(
  limiter: RateLimiter,
  key: string,
  message = "Too many attempts to sign in",
): Promise<void> {
  const state = await limiter.take(key);
  if (state?.allowed !== false) return;
  const retryAfterSeconds = Math.max(1, state.resetSeconds);
  throw new Failure("rate_limited", message, {}, { retryAfterSeconds });
}
