import { exponentOf } from "../domain/money.ts";

/** A provider's answer. `status` is null if there was none, or an unreadable one. */
export interface Wired {
  status: number | null;
  /** The parsed JSON, or null. */
  body: unknown;
  /** Why there is no answer. */
  error: string;
}

/** A payment can't be decided by hand while a token request and an order may still run this long each. */
const TIMEOUT_MS = 30_000;

/** Requests JSON from a provider. It never throws, because any error only means that the result is unknown. */
export async function askJson(url: string, init: RequestInit = {}): Promise<Wired> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    // A redirect would send the credentials to another host.
    const response = await fetch(url, { ...init, signal, redirect: "error" });
    const text = await response.text();
    const body = text === "" ? null : (JSON.parse(text) as unknown);
    return { status: response.status, body, error: `it answered ${response.status}` };
  } catch (error) {
    const { name, message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message || message : message;
    return {
      status: null,
      body: null,
      error: name === "TimeoutError" ? "it did not answer in time" : reason,
    };
  }
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
