import type { View } from "../../../storage/store.ts";
import { table } from "../../../storage/table.ts";
import type { Context } from "../../context.ts";
import { batchReference } from "../payments-batch/batch.ts";
import { paymentOrders, type Payer, type PaymentOrder } from "./payment.ts";

/** Drafts of a payments batch that a person funds together at the provider. */
export interface PaymentGroup {
  accountId: number;
  id: number;
  payer: Payer;
  paymentsBatchId: number;
  /** The company's account at the provider that has it. */
  askedAccount: string;
  /** The provider's own id. */
  groupId: string;
  /** How often a draft was to be put into it. */
  useCount: number;
  /** Whether no draft comes any more, so that it can be funded. */
  isClosed: boolean;
  createdAt: string;
}

export const paymentGroups = table<PaymentGroup>()({
  name: "payment-group",
  columns: { id: "integer", payments_batch_id: "integer" },
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
    const group = open && (await tx.lock(paymentGroups, open.accountId, open.id));
    if (group === null || group.isClosed || group.useCount >= choice.mostDrafts) return null;
    const after = { ...group, useCount: group.useCount + 1 };
    await tx.put(paymentGroups, after);
    return after;
  });
}

/** Records a group that was opened at the provider, unless another process was faster: then its own is used. */
export async function addGroup(
  context: Context,
  { groupId, ...choice }: GroupChoice & { groupId: string },
): Promise<PaymentGroup> {
  const { store, now } = context;
  const id = await store.nextId("payment-group");
  const { accountId, payer, paymentsBatchId } = choice.order;
  return store.transact(async (tx) => {
    const open = await findOpen(tx.view, choice);
    if (open !== null) return open;
    const own = { accountId, id, payer, paymentsBatchId, askedAccount: choice.account, groupId };
    const group: PaymentGroup = { ...own, useCount: 1, isClosed: false, createdAt: now.toISOString() };
    await tx.insert(paymentGroups, group);
    return group;
  });
}

/** A name for the next group of a batch: `BATCH-3`, and for later ones `BATCH-3 (2)`. */
export async function nextGroupName(
  view: View,
  { accountId, paymentsBatchId }: PaymentOrder,
): Promise<string> {
  const { length } = await view.list(paymentGroups, "batch", accountId, [paymentsBatchId]);
  const name = batchReference({ id: paymentsBatchId });
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
  { accountId, paymentsBatchId, payer }: PaymentOrder,
  { account, isWhole }: { account: string; isWhole: boolean },
): Promise<PaymentGroup[]> {
  const groups = await store.list(paymentGroups, "batch", accountId, [paymentsBatchId]);
  const open = groups.filter(({ isClosed, askedAccount }) => !isClosed && askedAccount === account);
  if (open.length === 0) return [];
  const orders = await store.list(paymentOrders, "batch", accountId, [paymentsBatchId]);
  const own = orders.filter((order) => order.payer === payer);
  const isQuiet = own.every(({ createdAt }) => now.getTime() - Date.parse(createdAt) >= QUIET_MS);
  return own.every(({ isSettled }) => isSettled) && (isWhole || isQuiet) ? open : [];
}

/** Records that a group can be funded, or was closed at the provider. */
export function closeGroup({ store }: Context, { accountId, id }: PaymentGroup): Promise<void> {
  return store.transact(async (tx) => {
    const group = await tx.lock(paymentGroups, accountId, id);
    if (group !== null && !group.isClosed) await tx.put(paymentGroups, { ...group, isClosed: true });
  });
}

async function findOpen(
  view: View,
  { order: { accountId, paymentsBatchId }, account, mostDrafts }: GroupChoice,
): Promise<PaymentGroup | null> {
  const groups = await view.list(paymentGroups, "batch", accountId, [paymentsBatchId]);
  const fits = ({ askedAccount, isClosed, useCount }: PaymentGroup) =>
    askedAccount === account && !isClosed && useCount < mostDrafts;
  return groups.find(fits) ?? null;
}
