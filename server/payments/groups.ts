import type { Context } from "../domain/context.ts";
import {
  addGroup,
  closeGroup,
  listCompleteGroups,
  nextGroupName,
  useGroup,
  type PaymentGroup,
} from "../domain/ledger/payment/group.ts";
import type { PaymentOrder } from "../domain/ledger/payment/payment.ts";
import type { Answer } from "../domain/ledger/payment/transition.ts";
import type { OpenProvider, Sending } from "./provider.ts";

/**
 * Sends an order, with the group of its batch if the provider has groups. An opened group that was not written down stays
 * empty at the provider, which does no harm.
 */
export async function sendInGroup(
  context: Context,
  adapter: OpenProvider,
  sending: Sending,
): Promise<Answer> {
  const { groups, account } = adapter;
  if (groups === undefined) return adapter.send(sending);
  const choice = { order: sending.order, account, mostDrafts: groups.mostDrafts };
  let group = await useGroup(context, choice);
  if (group === null) {
    const name = await nextGroupName(context.store, sending.order);
    const groupId = await groups.open(name, sending.order.currency);
    if (groupId === null) return { kind: "unknown", reason: "it has opened no group for the batch" };
    group = await addGroup(context, { ...choice, groupId });
  }
  const answer = await adapter.send({ ...sending, groupId: group.groupId });
  if (answer.kind === "taken" || (await groups.stateOf(group.groupId)) !== "closed") return answer;
  // A person has closed it there, so the draft goes into another one.
  await closeGroup(context, group);
  return { kind: "unknown", reason: "the group of the batch was closed there" };
}

/** Closes the groups of an order's batch that get no draft any more, so that a person can fund them. */
export async function closeGroups(
  context: Context,
  adapter: OpenProvider,
  { order, isWhole = false }: { order: PaymentOrder; isWhole?: boolean },
): Promise<void> {
  const { groups, account } = adapter;
  if (groups === undefined) return;
  for (const group of await listCompleteGroups(context, order, { account, isWhole })) {
    if (await isOver(groups, group)) await closeGroup(context, group);
  }
}

/** An empty group is left alone: it can't be funded, and a later draft gets another one. */
async function isOver(
  groups: NonNullable<OpenProvider["groups"]>,
  { groupId }: PaymentGroup,
): Promise<boolean> {
  const state = await groups.stateOf(groupId);
  return state === "open" ? groups.close(groupId) : state !== "unknown";
}
