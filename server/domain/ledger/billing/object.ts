import { digest } from "../../../storage/digests.ts";
import type { Reader, Transaction } from "../../../storage/store.ts";
import { integer, json, table, text, type RowOf } from "../../../storage/table.ts";
import { bestParts, type PaymentParts } from "../sale/payment.ts";
import type { Lead } from "../../people/lead/lead.ts";
import type { BillingProvider } from "./connection.ts";

const fields = {
  provider: text<BillingProvider>(),
  /** The object's id is stored as a hash, because a customer's id is personal. */
  hash: text(),
  /** The event id of the payment's sale, recorded or to be recorded. Null: a customer who has paid nothing. */
  sale_event_id: text().nullable(),
  /** The lead of a customer, for as long as no sale says it. Absent: unknown, or it is no customer. */
  lead_id: integer().optional(),
  /** The best knowledge of the payment, or null. */
  parts: json<PaymentParts>().nullable(),
  /**
   * The names that the payment had before events showed that they mean one payment. Refunds may wait under
   * them. Only the object that the payment is named after has all of them.
   */
  former_names: json<string[]>().optional(),
};

/**
 * An object of a billing provider that belongs to a payment, such as its invoice, its charge or its customer.
 * Several events report one payment, each with another object.
 */
type BillingObject = RowOf<typeof fields>;

/** The object that a payment is named after. */
type NamedPayment = BillingObject & { sale_event_id: string };

export const billingObjects = table("billing-object", fields, {
  key: ["provider", "hash"],
});

/** The payment that an object belongs to, or null if unknown. */
export async function findObject(
  reader: Reader,
  accountId: number,
  { provider, id }: { provider: BillingProvider; id: string },
): Promise<BillingObject | null> {
  const object = await reader.get(billingObjects, accountId, provider, digest(id));
  if (object === null || object.sale_event_id === null || object.hash === digest(object.sale_event_id))
    return object;
  // A payment is named after one of its objects. That object leads to the present name if the payment was
  // renamed.
  return (await findObject(reader, accountId, { provider, id: object.sale_event_id })) ?? object;
}

/** The objects of one payment, and our knowledge of it. */
interface Naming {
  provider: BillingProvider;
  /** Objects that belong to this payment alone. An unknown payment is named after the first. */
  objects: string[];
  /** Objects that also belong to other payments of the customer. They lead to the latest one. */
  owners: string[];
  /** The event's knowledge of it, or null for a refund. */
  parts: PaymentParts | null;
}

/**
 * Names a payment: the name is the event id of its sale. Events that share an object get the same name, even
 * if they arrive at the same time: both read the shared object, and only one commit succeeds.
 *
 * An event may show that two names mean one payment. The name with a sale stays.
 */
export async function namePayment(
  tx: Transaction,
  accountId: number,
  { provider, objects, owners, parts }: Naming,
): Promise<NamedPayment> {
  const find = (id: string) => findObject(tx, accountId, { provider, id });
  const [read, customers] = await Promise.all([
    Promise.all(objects.map(find)),
    Promise.all(owners.map((id) => tx.get(billingObjects, accountId, provider, digest(id)))),
  ]);
  const known = read.filter((object) => object !== null);
  const paid = known.find((object) => object.parts);
  const name = (paid ?? known[0])?.sale_event_id ?? objects[0];
  if (name === undefined) throw new Error("A payment without an object has no name");
  const names = new Set(
    known.flatMap((object) => [object.sale_event_id ?? [], object.former_names ?? []].flat()),
  );
  const formerNames = [...names].filter((each) => each !== name);
  const best = bestParts([...known.map((object) => object.parts ?? null), parts]);
  const payment = {
    account_id: accountId,
    provider,
    sale_event_id: name,
    parts: best,
    former_names: formerNames,
  };
  for (const id of new Set([...objects, ...owners, ...names])) {
    const hash = digest(id);
    const leadId = customers.find((each) => each?.hash === hash)?.lead_id;
    await tx.put(billingObjects, { ...payment, hash, ...(leadId !== undefined && { lead_id: leadId }) });
  }
  return { ...payment, hash: digest(name) };
}

/** Keeps which lead a customer is until a sale says it. */
export async function linkCustomer(
  tx: Transaction,
  { account_id, id: leadId }: Lead,
  { provider, id }: { provider: BillingProvider; id: string },
): Promise<void> {
  const hash = digest(id);
  const before = await tx.get(billingObjects, account_id, provider, hash);
  if (before?.lead_id === leadId) return;
  const customer = before ?? { account_id, provider, hash, sale_event_id: null, parts: null };
  await tx.put(billingObjects, { ...customer, lead_id: leadId });
}

/** The lead of a customer before the first sale, or null if unknown. */
export async function linkedLead(
  reader: Reader,
  accountId: number,
  { provider, id }: { provider: BillingProvider; id: string },
): Promise<number | null> {
  return (await reader.get(billingObjects, accountId, provider, digest(id)))?.lead_id ?? null;
}
