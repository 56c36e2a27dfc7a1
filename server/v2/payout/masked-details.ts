import type { Caller } from "../../request/caller.ts";

/** The fields of a payout method that may identify an account. */
const MASKED = new Set(["details", "meta"]);
/** Details that identify no account. */
const PLAIN = new Set(["bank_country", "country", "crypto_currency"]);
/** The characters of a detail that are shown. Shorter details than twice as many would be told by them. */
const SHOWN = 4;

/**
 * Whether a caller sees the details of payout methods whole: owners do, and programs with a key.
 *
 * @see docs/spec/v2.md "Payout method"
 */
export function seesPayoutDetails(caller: Caller): boolean {
  return caller.kind === "key" || caller.user.role === "owner";
}

/**
 * An answer in which payout methods show only the last characters of their details. It finds them by their form, so that a
 * new operation can't forget it.
 */
export function withMaskedDetails(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMaskedDetails);
  if (typeof value !== "object" || value === null) return value;
  const shown = Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      MASKED.has(name) && isOfMethod(value) ? masked(inner) : withMaskedDetails(inner),
    ]),
  );
  return withoutEcho(value, shown);
}

/** What is shown of a delivery. A receiver may repeat the event in its answer, so a change of the event hides that as well. */
export function withoutEcho(delivery: object, shown: object): object {
  if (!("response_body" in delivery)) return shown;
  const isChanged = JSON.stringify(shown) !== JSON.stringify(delivery);
  return isChanged ? { ...shown, response_body: null } : shown;
}

/** A payout method, or the changes of one: the details before and after. */
function isOfMethod(value: object): boolean {
  return "managed_payouts" in value || ("details" in value && Array.isArray(value.details));
}

function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, PLAIN.has(name) ? inner : masked(inner)]),
    );
  if (value === null || typeof value === "boolean") return value;
  const text = String(value);
  return text.length < 2 * SHOWN ? "…" : `…${text.slice(-SHOWN)}`;
}
