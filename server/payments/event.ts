import { createHmac, timingSafeEqual } from "node:crypto";
import { Failure } from "../failure.ts";
import { findExcess } from "../http/parameters/json.ts";

/**
 * Parses an event of a provider. Deep nesting is refused, because it would overflow the stack of whatever reads the event.
 *
 * @throws Failure `malformed`
 */
export function parseEvent(body: string): object {
  try {
    const event = JSON.parse(body) as unknown;
    if (typeof event === "object" && event !== null && findExcess(event) === null) return event;
  } catch {
    throw new Failure("malformed", "The event is not JSON");
  }
  throw new Failure("malformed", "The event is not an object, or is too large");
}

/** Whether a hexadecimal HMAC-SHA256 is that of a text, in constant time. */
export function isHmac(given: string, { key, text }: { key: string; text: string }): boolean {
  const own = createHmac("sha256", key).update(text).digest("hex");
  const [one, other] = [Buffer.from(own), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The key of a provider's events. @throws Failure `malformed` if none was set */
export function requiredKey(key: string | null, provider: string): string {
  if (key === null) throw new Failure("malformed", `No webhook key is set for ${provider}`);
  return key;
}
