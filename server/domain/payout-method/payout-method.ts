import { isDeepStrictEqual } from "node:util";
import { Failure } from "../../failure.ts";
import type { PayoutMethod } from "./record.ts";
import { table } from "../../storage/table.ts";
import type { Reader, Store, Transaction } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { refuseErased } from "../erasure/erased.ts";
import { announce } from "../event/event.ts";
import { findPage, type Found, type Schema, type Window } from "../../storage/query.ts";
import { payouts } from "../payout/payout.ts";
import { loadPromoter } from "../promoter/promoter.ts";

/** A promoter can have only one selected method. */
export const payoutMethods = table<PayoutMethod>()({
  name: "payout-method",
  columns: {
    id: "integer",
    promoter_id: "integer",
    method: "text",
    is_selected: "integer",
    /** The promoter whose selected method this is. */
    selected_by_id: ["integer", ({ promoterId, isSelected }) => (isSelected ? promoterId : null)],
    is_disabled: "integer",
    replaced_by_id: "integer",
    created_at: "text",
  },
  unique: { selected: ["selected_by_id"] },
  indexes: { promoter: { on: ["promoter_id"] } },
});

/** The fields of a payout method that a request may set. */
export type PayoutMethodInput = Pick<PayoutMethod, "method" | "details" | "isSelected" | "isDisabled">;

/** The payout method that a promoter has selected, or null. */
export function findSelectedPayoutMethod(
  reader: Reader,
  accountId: number,
  promoterId: number,
): Promise<PayoutMethod | null> {
  return reader.find(payoutMethods, "selected", accountId, [promoterId]);
}

/**
 * The same for a payout that begins to use the method. Changes of its details wait until the transaction has ended, and
 * then see that it is used.
 */
export async function lockSelectedPayoutMethod(
  tx: Transaction,
  accountId: number,
  promoterId: number,
): Promise<PayoutMethod | null> {
  const selected = await findSelectedPayoutMethod(tx, accountId, promoterId);
  return selected && tx.lock(payoutMethods, accountId, selected.id);
}

/** @throws Failure `not_found` */
export async function loadPayoutMethod(reader: Reader, accountId: number, id: number): Promise<PayoutMethod> {
  const method = await reader.get(payoutMethods, accountId, id);
  if (method === null) throw new Failure("not_found", "Payout method not found.");
  return method;
}

/** A page of a promoter's current payout methods, oldest first. Choice: replaced ones are history, which payouts show. */
export function findPayoutMethods(
  store: Store,
  accountId: number,
  { promoterId, ...window }: { promoterId: number } & Window,
): Promise<Found<PayoutMethod>> {
  const question = store
    .question<Schema<{ payout_methods: typeof payoutMethods }>>()
    .selectFrom("payout_methods")
    .where("account_id", "=", accountId)
    .where("promoter_id", "=", promoterId)
    .where("replaced_by_id", "is", null)
    .orderBy("id");
  return findPage(store, payoutMethods, { question, ...window });
}

/**
 * Adds a payout method. If it is selected, it replaces the one selected before.
 *
 * @throws Failure `not_found`, or `refused` for an erased promoter
 */
export async function createPayoutMethod(
  context: Context,
  accountId: number,
  { promoterId, ...input }: PayoutMethodInput & { promoterId: number },
): Promise<PayoutMethod> {
  const id = await context.store.nextId("payout-method");
  return context.store.transact(async (tx) => {
    refuseErased(await loadPromoter(tx, accountId, promoterId));
    const own = { accountId, id, promoterId, meta: {}, isManaged: false };
    const after = { ...own, ...input, createdAt: context.now.toISOString() };
    return putPayoutMethod(tx, context, { before: null, after });
  });
}

/**
 * Changes a payout method. `change` gets the current record, because the valid details depend on its method.
 *
 * Once a payout has used it, other details make a new record, and the old one is disabled. Otherwise the money of a batch
 * that the company has confirmed could go elsewhere, and paid payouts would show an account that they did not go to.
 * Changes to a replaced method go to the one that took its place.
 *
 * @throws Failure `not_found`, `refused` for an erased promoter, and whatever `change` throws
 */
export async function updatePayoutMethod(
  context: Context,
  accountId: number,
  { id, change }: { id: number; change: (method: PayoutMethod) => Partial<PayoutMethodInput> },
): Promise<PayoutMethod> {
  const newId = await context.store.nextId("payout-method");
  return context.store.transact(async (tx) => {
    const before = await loadCurrent(tx, accountId, id);
    await tx.lock(payoutMethods, accountId, before.id);
    refuseErased(await loadPromoter(tx, accountId, before.promoterId));
    const after = { ...before, ...change(before) };
    if (!(await isUsed(tx, before)) || hasSameTarget(before, after))
      return putPayoutMethod(tx, context, { before, after });
    const replaced = { ...before, isSelected: false, isDisabled: true, replacedById: newId };
    await putPayoutMethod(tx, context, { before, after: replaced });
    const own = { id: newId, createdAt: context.now.toISOString() };
    return putPayoutMethod(tx, context, { before: null, after: { ...after, ...own } });
  });
}

/** The method with this id, or the one that took its place. @throws Failure `not_found` */
async function loadCurrent(tx: Transaction, accountId: number, id: number): Promise<PayoutMethod> {
  let method = await loadPayoutMethod(tx, accountId, id);
  while (method.replacedById !== undefined)
    method = await loadPayoutMethod(tx, accountId, method.replacedById);
  return method;
}

function hasSameTarget(one: PayoutMethod, other: PayoutMethod): boolean {
  return one.method === other.method && isDeepStrictEqual(one.details, other.details);
}

/** Whether a payout uses a method. Ask after the lock, which every payout that begins to use the method takes as well. */
async function isUsed(tx: Transaction, { accountId, id }: PayoutMethod): Promise<boolean> {
  const [user] = await tx.view.page(payouts, "method", accountId, [id], { limit: 1 });
  return user !== undefined;
}

/**
 * Deletes a payout method that no payout has used.
 *
 * @throws Failure `not_found`, or `in_use`
 */
export async function removePayoutMethod(context: Context, accountId: number, id: number): Promise<void> {
  await context.store.transact(async (tx) => {
    const before = await loadPayoutMethod(tx, accountId, id);
    // As in `updatePayoutMethod`: no payout begins to use the method meanwhile.
    await tx.lock(payoutMethods, accountId, id);
    if (await isUsed(tx, before)) {
      throw new Failure("in_use", "Payouts were paid by this method; disable it instead");
    }
    await tx.remove(payoutMethods, accountId, id);
    await announce(tx, context, { entity: "payout_method", before, after: null });
  });
}

async function putPayoutMethod(
  tx: Transaction,
  context: Context,
  { before, after }: { before: PayoutMethod | null; after: PayoutMethod },
): Promise<PayoutMethod> {
  const selected = await findSelectedPayoutMethod(tx, after.accountId, after.promoterId);
  if (after.isSelected && selected !== null && selected.id !== after.id) {
    const replaced = { ...selected, isSelected: false };
    await tx.put(payoutMethods, replaced);
    await announce(tx, context, { entity: "payout_method", before: selected, after: replaced });
  }
  await tx.put(payoutMethods, after);
  await announce(tx, context, { entity: "payout_method", before, after });
  return after;
}
