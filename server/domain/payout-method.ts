import { Failure } from "../failure.ts";
import type { PayoutMethod } from "../records.ts";
import { collection, listCounts } from "../storage/collection.ts";
import type { Reader, Store, Transaction } from "../storage/store.ts";
import type { Context } from "./context.ts";
import { refuseErased } from "./erasure-values.ts";
import { findPage, type Found, type Window } from "./listing.ts";
import { loadPromoter } from "./promoter.ts";

/** The selected one is found by a claim, so that a promoter can have but one. */
export const payoutMethods = collection<PayoutMethod>()({
  name: "payout-method",
  id: (payoutMethod) => [payoutMethod.id],
  claims: {
    selected: ({ promoterId, isSelected }) => (isSelected ? [promoterId] : null),
  },
  indexes: {
    promoter: ({ promoterId }) => [promoterId],
  },
  counts: ({ promoterId }) => listCounts("payout-method", { promoter: [promoterId] }),
});

/** What can be said of a payout method. */
export type PayoutMethodInput = Pick<PayoutMethod, "method" | "details" | "isSelected" | "isDisabled">;

/** The way that a promoter has chosen to be paid by, or null. */
export function findSelectedPayoutMethod(
  reader: Reader,
  accountId: number,
  promoterId: number,
): Promise<PayoutMethod | null> {
  return reader.find(payoutMethods, "selected", accountId, [promoterId]);
}

/** @throws Failure `not_found` */
export async function loadPayoutMethod(reader: Reader, accountId: number, id: number): Promise<PayoutMethod> {
  const method = await reader.get(payoutMethods, accountId, id);
  if (method === null) throw new Failure("not_found", "Payout method not found.");
  return method;
}

/** A page of a promoter's payout methods, oldest first. */
export function findPayoutMethods(
  store: Store,
  accountId: number,
  { promoterId, ...window }: { promoterId: number } & Window,
): Promise<Found<PayoutMethod>> {
  return findPage(store, payoutMethods, { accountId, index: "promoter", start: [promoterId], ...window });
}

/**
 * Gives a promoter a way to be paid; a selected one takes the place of the one selected before.
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
    return putPayoutMethod(tx, { ...own, ...input, createdAt: context.now.toISOString() });
  });
}

/**
 * Changes a payout method by what `change` makes of it as it is at that moment, since what its details
 * must be depends on its method.
 *
 * @throws Failure `not_found`, `refused` for an erased promoter, and what `change` refuses with
 */
export function updatePayoutMethod(
  context: Context,
  accountId: number,
  { id, change }: { id: number; change: (method: PayoutMethod) => Partial<PayoutMethodInput> },
): Promise<PayoutMethod> {
  return context.store.transact(async (tx) => {
    const method = await loadPayoutMethod(tx, accountId, id);
    refuseErased(await loadPromoter(tx, accountId, method.promoterId));
    return putPayoutMethod(tx, { ...method, ...change(method) });
  });
}

/**
 * Removes a payout method that no payout was paid by.
 *
 * @throws Failure `not_found`, or `in_use`
 */
export async function removePayoutMethod(context: Context, accountId: number, id: number): Promise<void> {
  await context.store.transact(async (tx) => {
    await loadPayoutMethod(tx, accountId, id);
    // Counted within the transaction, so that a payout which is paid by it meanwhile stops it.
    const usesCount = await tx.sum(accountId, ["payout.method", id]);
    if (usesCount > 0) throw new Failure("in_use", "Payouts were paid by this method; disable it instead");
    await tx.remove(payoutMethods, accountId, id);
  });
}

async function putPayoutMethod(tx: Transaction, method: PayoutMethod): Promise<PayoutMethod> {
  const selected = await findSelectedPayoutMethod(tx, method.accountId, method.promoterId);
  if (method.isSelected && selected !== null && selected.id !== method.id) {
    await tx.put(payoutMethods, { ...selected, isSelected: false });
  }
  await tx.put(payoutMethods, method);
  return method;
}
