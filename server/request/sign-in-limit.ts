import type { H3Event } from "h3";
import { Failure } from "../failure.ts";
import { clientAddress, networkOf } from "../http/client-address.ts";
import type { Services } from "./services.ts";

/**
 * Counts an attempt to sign in against the limits of its network and of the e-mail address that it names. `kind` keeps
 * a user and a promoter with one address apart.
 *
 * @throws Failure `rate_limited`
 */
export async function limitSignIn(
  { limits, trustProxyHops }: Pick<Services, "limits" | "trustProxyHops">,
  event: H3Event,
  { kind, email }: { kind: string; email: string | null },
): Promise<void> {
  const network = networkOf(clientAddress(event, trustProxyHops));
  const states = [await limits.signIns.take(network)];
  if (email !== null) states.push(await limits.signInsByEmail.take(`${kind} ${email.trim().toLowerCase()}`));
  for (const state of states) {
    if (state?.allowed !== false) continue;
    const retryAfterSeconds = Math.max(1, state.resetSeconds);
    throw new Failure("rate_limited", "Too many attempts to sign in", {}, { retryAfterSeconds });
  }
}
