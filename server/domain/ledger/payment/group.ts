import type { View } from "../../../storage/store.ts";
import { flag, integer, table, text, time, type RowOf } from "../../../storage/table.ts";
import type { Context } from "../../context.ts";
import { batchReference } from "../payments-batch/batch.ts";
import { paymentOrders, type Payer, type PaymentOrder } from "./payment.ts";

const fields = {
  id: integer(),
  payer: text<Payer>(),
  payments_batch_id: integer(),
  /** The company's account at the provider that has it. */
  asked_account: text(),
  /** The provider's own id. */
  group_id: text(),
  /** How often a draft was to be put into it. */
  use_count: integer(),
  /** Whether no draft comes any more, so that it can be funded. */
  is_closed: flag(),
  created_at: time(),
};

/** Drafts of a payments batch that a person funds together at the provider. */
export type PaymentGroup = RowOf<typeof fields>;

export const paymentGroups = table("payment-group", fields, {
  indexes: { batch: { on: ["payments_batch_id"] } },
});

/** What a draft's group is chosen by. */
interface GroupChoice {
  order: PaymentOrder;
  /** The company's account at the provider. */
  account: string;
  mostDrafts: number;
}

/** Chooses the open group of a batch for a draft, or null if there is none with room. */
export function useGroup(context: Context, choice: GroupChoice): Promise<PaymentGroup | null> {
  return context.store.transact(async (tx) => {
    const open = await findOpen(tx.view, choice);
    const group = open && (await tx.lock(paymentGroups, open.account_id, open.id));
    if (group === null || group.is_closed || group.use_count >= choice.mostDrafts) return null;
    const after = { ...group, use_count: group.use_count + 1 };
    await tx.put(paymentGroups, after);
    return after;
  });
}

/** Records a group that was opened at the provider, unless another process was faster: then its own is used. */
export async function addGroup(
  context: Context,
  { group_id, ...choice }: GroupChoice & { group_id: string },
): Promise<PaymentGroup> {
  const { store, now } = context;
  const id = await store.nextId("payment-group");
  const { account_id, payer, payments_batch_id } = choice.order;
  return store.transact(async (tx) => {
    const open = await findOpen(tx.view, choice);
    if (open !== null) return open;
    const own = { account_id, id, payer, payments_batch_id, asked_account: choice.account, group_id };
    const group: PaymentGroup = { ...own, use_count: 1, is_closed: false, created_at: now.toISOString() };
    await tx.insert(paymentGroups, group);
    return group;
  });
}

/** A name for the next group of a batch: `BATCH-3`, and for later ones `BATCH-3 (2)`. */
export async function nextGroupName(
  view: View,
  { account_id, payments_batch_id }: PaymentOrder,
): Promise<string> {
  const { length } = await view.list(paymentGroups, "batch", account_id, [payments_batch_id]);
  const name = batchReference({ id: payments_batch_id });
  return length === 0 ? name : `${name} (${length + 1})`;
}

/** How long after the latest order of a batch its drafts count as complete. The orders are written one by one. */
const QUIET_MS = 60 * 1_000;

/**
 * The groups of a batch that get no draft any more, because the outcome of all its orders is known. `isWhole`: the caller has
 * just written all of them.
 */
export async function listCompleteGroups(
  { store, now }: Context,
  { account_id, payments_batch_id, payer }: PaymentOrder,
  { account, isWhole }: { account: string; isWhole: boolean },
): Promise<PaymentGroup[]> {
  const groups = await store.list(paymentGroups, "batch", account_id, [payments_batch_id]);
  const open = groups.filter(({ is_closed, asked_account }) => !is_closed && asked_account === account);
  if (open.length === 0) return [];
  const orders = await store.list(paymentOrders, "batch", account_id, [payments_batch_id]);
  const own = orders.filter((order) => order.payer === payer);
  const isQuiet = own.every(({ created_at }) => now.getTime() - Date.parse(created_at) >= QUIET_MS);
  return own.every(({ is_settled }) => is_settled) && (isWhole || isQuiet) ? open : [];
}

/** Records that a group can be funded, or was closed at the provider. */
export function closeGroup({ store }: Context, { account_id, id }: PaymentGroup): Promise<void> {
  return store.transact(async (tx) => {
    const group = await tx.lock(paymentGroups, account_id, id);
    if (group !== null && !group.is_closed) await tx.put(paymentGroups, { ...group, is_closed: true });
  });
}

async function findOpen(
  view: View,
  { order: { account_id, payments_batch_id }, account, mostDrafts }: GroupChoice,
): Promise<PaymentGroup | null> {
  const groups = await view.list(paymentGroups, "batch", account_id, [payments_batch_id]);
  const fits = ({ asked_account, is_closed, use_count }: PaymentGroup) =>
    asked_account === account && !is_closed && use_count < mostDrafts;
  return groups.find(fits) ?? null;
}
