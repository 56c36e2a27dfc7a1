import { isDeepStrictEqual } from "node:util";
import { Failure } from "../../../failure.ts";
import type { Transaction } from "../../../storage/store.ts";
import type { Context } from "../../context.ts";
import { refuseErased } from "../../people/erased.ts";
import { announce } from "../../events/event.ts";
import { payouts } from "../payout/payout.ts";
import { loadPromoter } from "../../people/promoter/promoter.ts";
import { enqueueMoneyEmail } from "../money-email.ts";
import {
  findSelectedPayoutMethod,
  loadPayoutMethod,
  payoutMethods,
  type PayoutMethod,
} from "./payout-method.ts";
import { textsOf, type Language } from "../../../languages/languages.ts";

/** The fields of a payout method that a request may set. */
export type PayoutMethodInput = Pick<PayoutMethod, "method" | "details" | "isSelected" | "isDisabled">;

/**
 * Adds a payout method. If it is selected, it replaces the former selection.
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
 * Once a payout has used it, other details make a new record, and the old one is disabled. Otherwise the
 * money of a confirmed batch could go elsewhere, and paid payouts would show a wrong account. Changes to a
 * replaced method apply to its replacement.
 *
 * @throws Failure `not_found`, `refused` for an erased promoter, and any error of `change`
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
  const isOther = before === null || !before.isSelected || !hasSameTarget(before, after);
  const noted =
    after.isSelected && isOther && (await hasFormer(tx, after))
      ? { ...after, changedAt: context.now.toISOString() }
      : after;
  await tx.put(payoutMethods, noted);
  if (noted !== after) await tellChange(tx, context, noted);
  await announce(tx, context, { entity: "payout_method", before, after: noted });
  return noted;
}

/** The promoter may not be the one who has changed it. */
function tellChange(
  tx: Transaction,
  context: Context,
  { accountId, promoterId, method, changedAt = "" }: PayoutMethod,
): Promise<void> {
  const changed_on = `${changedAt.slice(0, 16).replace("T", " ")} UTC`;
  const values = (language: Language) => ({
    changed_at: changedAt,
    changed_on,
    method: textsOf(language)(`method.${method}`),
  });
  return enqueueMoneyEmail(tx, context, { accountId, promoterId, kind: "payout_method_changed", values });
}

/** Whether the promoter had a payout method before this one, or before its details changed. */
async function hasFormer(
  { view }: Transaction,
  { accountId, id, promoterId }: PayoutMethod,
): Promise<boolean> {
  const own = await view.list(payoutMethods, "promoter", accountId, [promoterId]);
  return own.length > 0 && (own.length > 1 || own[0]?.id !== id || own[0].isSelected);
}

/**
 * The method with this id, or its replacement.
 *
 * @throws Failure `not_found`
 */
async function loadCurrent(tx: Transaction, accountId: number, id: number): Promise<PayoutMethod> {
  let method = await loadPayoutMethod(tx, accountId, id);
  while (method.replacedById !== undefined)
    method = await loadPayoutMethod(tx, accountId, method.replacedById);
  return method;
}

/**
 * Whether a payout uses a method. Call it after the lock, which every payout that begins to use the method
 * acquires as well.
 */
async function isUsed(tx: Transaction, { accountId, id }: PayoutMethod): Promise<boolean> {
  const [user] = await tx.view.page(payouts, "method", accountId, [id], { limit: 1 });
  return user !== undefined;
}

function hasSameTarget(one: PayoutMethod, other: PayoutMethod): boolean {
  return one.method === other.method && isDeepStrictEqual(one.details, other.details);
}
