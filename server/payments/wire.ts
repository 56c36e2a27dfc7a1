import { exponentOf } from "../domain/money.ts";

/** What a provider answered. `status` null: no answer came, or none that can be read. */
export interface Wired {
  status: number | null;
  /** The parsed JSON. null: none. */
  body: unknown;
  /** Why there is no answer. */
  error: string;
}

/** Nobody may decide about a payment while a token and a request may take this long each. */
const TIMEOUT_MS = 30_000;

/** Asks a provider for JSON. It never throws, because whatever goes wrong means that nothing is known. */
export async function askJson(url: string, init: RequestInit = {}): Promise<Wired> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    // A redirect would carry the credentials to another place.
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

/** A time-out, another request of the same name, too early, too many: the same request may be under way. */
const UNCLEAR = new Set([408, 409, 425, 429]);

/** Whether an answer says that the request was understood and not executed. Any other one may hide an execution. */
export function isRefusal({ status }: Wired): boolean {
  return status !== null && status >= 400 && status < 500 && !UNCLEAR.has(status);
}

/** A decimal number such as `12.50` in the minor unit of its currency. null: it is none. */
export function minorOf(value: string, currency: string): number | null {
  const [, whole = "", decimals = ""] = /^(\d{1,15})(?:\.(\d{1,9}))?$/.exec(value) ?? [];
  const exponent = exponentOf(currency);
  if (whole === "" || exponent === null || /[^0]/.test(decimals.slice(exponent))) return null;
  return Number(whole + decimals.slice(0, exponent).padEnd(exponent, "0"));
}
