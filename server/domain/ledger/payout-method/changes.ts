import { isDeepStrictEqual } from "node:util";
import { createHmac, timingSafeEqual } from "node:crypto";
import { Failure } from "../../../failure.ts";
import type { Transaction, Reader, Store } from "../../../storage/store.ts";
import type { Context } from "../../context.ts";
import { refuseErased, isErased } from "../../people/erased.ts";
import { announce } from "../../events/event.ts";
import { payouts } from "../payout/payout.ts";
import { loadPromoter, promoters } from "../../people/promoter/promoter.ts";
import { enqueueMoneyEmail, enqueueOwnerEmails } from "../money-email.ts";
import {
  findSelectedPayoutMethod,
  loadPayoutMethod,
  payoutMethods,
  type PayoutMethod,
} from "./payout-method.ts";
import { textsOf, type Language } from "../../../languages/languages.ts";
import { integer, table, time, type RowOf } from "../../../storage/table.ts";
import { withoutAccess } from "../../people/promoter/changes.ts";
import { endSessions } from "../../access/session.ts";
import type { Account } from "../../program/account/account.ts";

/** The fields of a payout method that a request may set. */
export type PayoutMethodInput = Pick<PayoutMethod, "method" | "details" | "is_selected" | "is_disabled">;

/**
 * Adds a payout method. If it is selected, it replaces the former selection.
 *
 * @throws Failure `not_found`, or `refused` for an erased promoter
 */
export async function createPayoutMethod(
  tx: Transaction,
  context: Context,
  given: PayoutMethodInput & Pick<PayoutMethod, "account_id" | "promoter_id">,
): Promise<PayoutMethod> {
  const id = await tx.nextId("payout-method");
  refuseErased(await loadPromoter(tx, given.account_id, given.promoter_id));
  const after = { ...given, id, meta: {}, is_managed: false, created_at: context.now.toISOString() };
  return putPayoutMethod(tx, context, { before: null, after });
}

/** Pays a promoter by one of their methods from now on. */
export function selectPayoutMethod(
  tx: Transaction,
  context: Context,
  before: PayoutMethod,
): Promise<PayoutMethod> {
  return putPayoutMethod(tx, context, { before, after: { ...before, is_selected: true } });
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
  tx: Transaction,
  context: Context,
  accountId: number,
  { id, change }: { id: number; change: (method: PayoutMethod) => Partial<PayoutMethodInput> },
): Promise<PayoutMethod> {
  const before = await loadCurrent(tx, accountId, id);
  await tx.lock(payoutMethods, accountId, before.id);
  refuseErased(await loadPromoter(tx, accountId, before.promoter_id));
  const after = { ...before, ...change(before) };
  if (!(await isUsed(tx, before)) || hasSameTarget(before, after))
    return putPayoutMethod(tx, context, { before, after });
  const newId = await tx.nextId("payout-method");
  const replaced = { ...before, is_selected: false, is_disabled: true, replaced_by_id: newId };
  await putPayoutMethod(tx, context, { before, after: replaced });
  const own = { id: newId, created_at: context.now.toISOString() };
  return putPayoutMethod(tx, context, { before: null, after: { ...after, ...own } });
}

/**
 * Deletes a payout method that no payout has used.
 *
 * @throws Failure `not_found`, or `in_use`
 */
export async function removePayoutMethod(
  tx: Transaction,
  context: Context,
  accountId: number,
  id: number,
): Promise<void> {
  const before = await loadPayoutMethod(tx, accountId, id);
  // As in `updatePayoutMethod`: no payout begins to use the method meanwhile.
  await tx.lock(payoutMethods, accountId, id);
  if (await isUsed(tx, before)) {
    throw new Failure("in_use", "Payouts were paid by this method; disable it instead");
  }
  await tx.remove(payoutMethods, accountId, id);
  await announce(tx, context, { entity: "payout_method", before, after: null });
}

async function putPayoutMethod(
  tx: Transaction,
  context: Context,
  { before, after }: { before: PayoutMethod | null; after: PayoutMethod },
): Promise<PayoutMethod> {
  const selected = await findSelectedPayoutMethod(tx, after.account_id, after.promoter_id);
  if (after.is_selected && selected !== null && selected.id !== after.id) {
    const replaced = { ...selected, is_selected: false };
    await tx.put(payoutMethods, replaced);
    await announce(tx, context, { entity: "payout_method", before: selected, after: replaced });
  }
  const isOther = before === null || !before.is_selected || !hasSameTarget(before, after);
  const noted =
    after.is_selected && isOther && (await hasFormer(tx, after))
      ? { ...after, changed_at: context.now.toISOString() }
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
  { account_id, promoter_id, method, changed_at = "" }: PayoutMethod,
): Promise<void> {
  const changed_on = `${changed_at.slice(0, 16).replace("T", " ")} UTC`;
  const values = (language: Language) => ({
    changed_at,
    changed_on,
    method: textsOf(language)(`method.${method}`),
  });
  return enqueueMoneyEmail(tx, context, { account_id, promoter_id, kind: "payout_method_changed", values });
}

/** Whether the promoter had a payout method before this one, or before its details changed. */
async function hasFormer(
  { view }: Transaction,
  { account_id, id, promoter_id }: PayoutMethod,
): Promise<boolean> {
  const own = await view.list(payoutMethods, "promoter", account_id, [promoter_id]);
  return own.length > 0 && (own.length > 1 || own[0]?.id !== id || own[0].is_selected);
}

/**
 * The method with this id, or its replacement.
 *
 * @throws Failure `not_found`
 */
async function loadCurrent(tx: Transaction, accountId: number, id: number): Promise<PayoutMethod> {
  let method = await loadPayoutMethod(tx, accountId, id);
  while (method.replaced_by_id !== undefined)
    method = await loadPayoutMethod(tx, accountId, method.replaced_by_id);
  return method;
}

/**
 * Whether a payout uses a method. Call it after the lock, which every payout that begins to use the method
 * acquires as well.
 */
async function isUsed(tx: Transaction, { account_id, id }: PayoutMethod): Promise<boolean> {
  const [user] = await tx.view.page(payouts, "method", account_id, [id], { limit: 1 });
  return user !== undefined;
}

function hasSameTarget(one: PayoutMethod, other: PayoutMethod): boolean {
  return one.method === other.method && isDeepStrictEqual(one.details, other.details);
}

const fields = {
  promoter_id: integer(),
  /** When the payout method was changed. Links about this change, and about earlier ones, have been used. */
  changed_at: time(),
  held_at: time(),
  /** Null while the payouts are held. */
  released_at: time().nullable(),
};

/**
 * Records that a promoter has said that someone else changed their payout method. They are not paid until an owner has
 * released their payouts. It stays after that, so that the same link works once.
 */
export type PayoutHold = RowOf<typeof fields>;

export const payoutHolds = table("payout-hold", fields, {
  key: ["promoter_id"],
  indexes: { open: { on: ["held_at"], where: "released_at is null" } },
});

/** Why a promoter whose payouts are held is not paid. */
export const HELD = "The promoter says that someone else has changed the payout method";

type Sender = Pick<Account, "id" | "public_id" | "address_key">;

/** A change of a payout method that a link is about. */
interface MethodChange {
  promoter_id: number;
  changed_at: string;
}

/** The link by which a promoter says that someone else has changed their payout method. */
export function notMeUrl(publicUrl: string, account: Sender, change: MethodChange): string {
  const url = new URL(`${publicUrl}/not-me`);
  url.searchParams.set("cid", account.public_id);
  url.searchParams.set("promoter", String(change.promoter_id));
  url.searchParams.set("at", change.changed_at);
  url.searchParams.set("token", tokenOf(account, change));
  return url.href;
}

/**
 * Holds the payouts of a promoter who says that someone else has changed the payout method, signs the promoter out
 * everywhere, and tells the owners.
 *
 * @throws Failure `not_found` for a token that is not theirs, `refused` if the link was used
 */
export async function holdPayouts(
  tx: Transaction,
  context: Context,
  account: Sender,
  { token, ...change }: MethodChange & { token: string },
): Promise<void> {
  const own = Buffer.from(tokenOf(account, change));
  const given = Buffer.from(token);
  if (own.length !== given.length || !timingSafeEqual(own, given)) throw notValid();
  const { promoter_id, changed_at } = change;
  const promoter = await tx.lock(promoters, account.id, promoter_id);
  if (promoter === null || isErased(promoter)) throw notValid();
  const before = await tx.get(payoutHolds, account.id, promoter_id);
  if (before !== null && before.changed_at >= changed_at)
    throw new Failure("refused", "This link has been used already.");
  const heldAt = context.now.toISOString();
  await tx.put(payoutHolds, {
    account_id: account.id,
    promoter_id,
    changed_at,
    held_at: heldAt,
    released_at: null,
  });
  // Someone else may be signed in, or have a link.
  await tx.put(promoters, withoutAccess(promoter, context.chance));
  await endSessions(tx, { kind: "promoter", account_id: account.id, id: promoter_id });
  // The name is added when the e-mail is sent, so that an erasure need not look for it there.
  const values = { promoter_id: String(promoter_id) };
  await enqueueOwnerEmails(tx, context, { account_id: account.id, kind: "payouts_held", values });
}

/** Lets a promoter be paid again. @throws Failure `not_found` if the payouts are not held */
export async function releasePayouts(
  tx: Transaction,
  { now }: Pick<Context, "now">,
  accountId: number,
  promoterId: number,
): Promise<void> {
  const hold = await tx.lock(payoutHolds, accountId, promoterId);
  if (hold === null || hold.released_at !== null)
    throw new Failure("not_found", "The payouts of this promoter are not held.");
  await tx.put(payoutHolds, { ...hold, released_at: now.toISOString() });
}

/** Whether the payouts of a promoter are held. */
export async function isHeld(reader: Reader, accountId: number, promoterId: number): Promise<boolean> {
  const hold = await reader.get(payoutHolds, accountId, promoterId);
  return hold !== null && hold.released_at === null;
}

/** @throws Failure `refused` if the payouts of one of these promoters are held */
export async function refuseHeld(
  reader: Reader | Transaction,
  accountId: number,
  promoterIds: Iterable<number>,
): Promise<void> {
  for (const promoterId of new Set(promoterIds)) {
    if (await isHeld(reader, accountId, promoterId)) {
      const words = `${HELD}, promoter ${promoterId}. Release the payouts first, or make a batch without them`;
      throw new Failure("refused", words);
    }
  }
}

/** The most holds that a list shows. */
const LISTED = 100;

/** The promoters whose payouts are held, oldest hold first. */
export function listHolds(store: Store, accountId: number): Promise<PayoutHold[]> {
  return store.page(payoutHolds, "open", accountId, [], { limit: LISTED });
}

/** Proves that the promoter got the e-mail about this change. */
function tokenOf({ address_key }: Sender, { promoter_id, changed_at }: MethodChange): string {
  return createHmac("sha256", address_key)
    .update(`payout method ${promoter_id} ${changed_at}`)
    .digest("base64url");
}

function notValid(): Failure {
  return new Failure("not_found", "This link is not valid.");
}
