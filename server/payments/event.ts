import { createHmac, timingSafeEqual } from "node:crypto";
import { Failure } from "../failure.ts";
import { findExcess } from "../http/parameters/json.ts";

/**
 * Parses an event of a provider. Deep nesting is refused, because it would overflow the stack of the code that reads it.
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

/** Whether one of these is the hexadecimal HMAC-SHA256 of a text, in constant time for each. The text is read once. */
export function isAnyHmac(given: readonly string[], { key, text }: { key: string; text: string }): boolean {
  const own = Buffer.from(createHmac("sha256", key).update(text).digest("hex"));
  return given.some((each) => {
    const other = Buffer.from(each);
    return own.length === other.length && timingSafeEqual(own, other);
  });
}

/** The key of a provider's events. @throws Failure `malformed` if none was set */
export function requiredKey(key: string | null, provider: string): string {
  if (key === null) throw new Failure("malformed", `No webhook key is set for ${provider}`);
  return key;
}
