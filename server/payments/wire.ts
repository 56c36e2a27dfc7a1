import { createHmac, timingSafeEqual } from "node:crypto";
import { exponentOf } from "../domain/money.ts";
import { Failure } from "../failure.ts";
import { findExcess } from "../http/parameters/json.ts";

/** A provider's answer. `status` is null if there was none, or an unreadable one. */
export interface Wired {
  status: number | null;
  /** The parsed JSON, or null. */
  body: unknown;
  /** Why there is no answer. */
  error: string;
  /** The provider's clock, or null if it was not said. */
  date: Date | null;
}

/** A payment can't be decided by hand while two token requests and two orders may still run this long each. */
const TIMEOUT_MS = 30_000;

/** Requests JSON from a provider. It never throws, because any error only means that the result is unknown. */
export async function askJson(url: string, init: RequestInit = {}): Promise<Wired> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    // A redirect would send the credentials to another host.
    const response = await fetch(url, { ...init, signal, redirect: "error" });
    const text = await response.text();
    const body = text === "" ? null : (JSON.parse(text) as unknown);
    const date = dateIn(response.headers.get("date"));
    return { status: response.status, body, error: `it answered ${response.status}`, date };
  } catch (error) {
    const { name, message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message || message : message;
    return {
      status: null,
      body: null,
      error: name === "TimeoutError" ? "it did not answer in time" : reason,
      date: null,
    };
  }
}

function dateIn(header: string | null): Date | null {
  const ms = Date.parse(header ?? "");
  return Number.isNaN(ms) ? null : new Date(ms);
}

/** Timeout, conflict, too early, too many requests: the same request may still be running. */
const UNCLEAR = new Set([408, 409, 425, 429]);

/** Whether the provider certainly did not execute the request. After any other answer, it may have. */
export function isRefusal({ status }: Wired): boolean {
  return status !== null && status >= 400 && status < 500 && !UNCLEAR.has(status);
}

/** A decimal number such as `12.50` in the minor unit of its currency, or null if it is not one. */
export function minorOf(value: string, currency: string): number | null {
  const [, whole = "", decimals = ""] = /^(\d{1,15})(?:\.(\d{1,9}))?$/.exec(value) ?? [];
  const exponent = exponentOf(currency);
  if (whole === "" || exponent === null || /[^0]/.test(decimals.slice(exponent))) return null;
  return Number(whole + decimals.slice(0, exponent).padEnd(exponent, "0"));
}

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
