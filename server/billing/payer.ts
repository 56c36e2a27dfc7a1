import type { Payer } from "./told.ts";

/** The names that metadata may have, in the order in which they count. `fp_` is what earlier integrations wrote. */
const UIDS = ["svc_uid", "fp_uid"];
const TIDS = ["svc_tid", "fp_tid", "tid"];

/** The names by which an event names the payer. */
interface Names {
  customerId: string | null;
  email: string | null;
  /** From the event's object, its subscription, and so on. The first that has a name counts. */
  metadata: (Record<string, unknown> | null | undefined)[];
  /** The reference that a payment link carries: a visit's id, or the account's own id of the person. */
  reference?: string | null;
  promoCodes?: string[];
}

/** The payer of an event. */
export function payerOf({ customerId, email, metadata, reference = null, promoCodes = [] }: Names): Payer {
  const named = (names: string[]) =>
    names.flatMap((name) => metadata.map((each) => each?.[name])).filter((value) => isText(value));
  const references = isText(reference) ? [reference] : [];
  return {
    customerId,
    uids: [...named(UIDS), ...references],
    tids: [...named(TIDS), ...references],
    email: isText(email) ? email.trim() : null,
    promoCodes,
  };
}

/** Longer texts are nobody's id. */
function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && value.length <= 1_000;
}
