import type { Reader, Store } from "../../storage/store.ts";
import { table } from "../../storage/table.ts";
import type { Account } from "../program/account/account.ts";
import { listConnections } from "../ledger/billing/connection.ts";
import { commissions } from "../ledger/commission/commission.ts";
import type { Context } from "../context.ts";
import { leads } from "../people/lead/lead.ts";
import { payoutMethods } from "../ledger/payout-method/payout-method.ts";
import { promoters } from "../people/promoter/promoter.ts";
import { sales, type Sale } from "../ledger/sale/sale.ts";
import { findSetup, findSightings } from "../people/sighting.ts";
import { webhooks } from "../events/webhook/webhook.ts";

/** The steps of a switch from another program, in order. */
export const SWITCH_STEPS = [
  "records",
  "payout_methods",
  "mail",
  "webhook",
  "billing",
  "server_call",
  "script",
  "old_link",
  "renewal",
  "old_script",
] as const;

export type SwitchStep = (typeof SWITCH_STEPS)[number];

/** The steps that users have done and that the server can't detect. */
export interface Switch {
  accountId: number;
  /** The steps that users have ticked. */
  ticked: SwitchStep[];
  /** When promoters were last sent their new links, or null. */
  linksMailedAt: string | null;
  /** The number of promoters who were sent them. */
  linksMailedCount: number;
}

export const switches = table<Switch>()({
  name: "switch",
  columns: { id: ["integer", () => 1] },
});

/** The account's switch, or one that has not begun. */
export async function findSwitch(reader: Reader, accountId: number): Promise<Switch> {
  const none: Switch = { accountId, ticked: [], linksMailedAt: null, linksMailedCount: 0 };
  return (await reader.get(switches, accountId, 1)) ?? none;
}

/** Stores the ticked steps. */
export function tickSteps({ store }: Context, accountId: number, steps: SwitchStep[]): Promise<Switch> {
  const ticked = SWITCH_STEPS.filter((step) => steps.includes(step));
  return store.transact(async (tx) => {
    const after = { ...(await findSwitch(tx, accountId)), ticked };
    await tx.put(switches, after);
    return after;
  });
}

/** The steps that the server can detect. It can't detect that the old script is gone. */
export type SeenSteps = Record<Exclude<SwitchStep, "script" | "old_script">, boolean>;

/** Detects the steps that a migrated program has done. Of each kind of records it reads the latest few. */
export async function findSeenSteps(store: Store, { id }: Account): Promise<SeenSteps> {
  const first = { limit: 1 };
  const [people, methods, hooks, connections, setup, events, calls, clicks, renewal] = await Promise.all([
    store.page(promoters, "id", id, [], first),
    store.page(payoutMethods, "id", id, [], first),
    store.page(webhooks, "id", id, [], first),
    listConnections(store, id),
    findSetup(store),
    findSightings(store, id, "billing-event"),
    findSightings(store, id, "server-call"),
    findSightings(store, id, "old-link"),
    hasRenewal(store, id),
  ]);
  return {
    records: people.length > 0,
    payout_methods: methods.length > 0,
    mail: setup?.hasMail ?? false,
    webhook: hooks.length > 0,
    billing: connections.some(({ provider }) => events.some(({ value }) => value === provider)),
    server_call: calls.length > 0,
    old_link: clicks.length > 0,
    renewal,
  };
}

/** The number of sales to check. Renewals come every day. */
const LOOKED_AT = 200;

/** Whether a customer who came from the other program has paid here since, and has earned their promoter something. */
async function hasRenewal(store: Store, accountId: number): Promise<boolean> {
  const latest = await store.page(sales, "id", accountId, [], { limit: LOOKED_AT, reverse: true });
  for (const sale of latest) {
    const lead = await store.get(leads, accountId, sale.leadId);
    const isFromBefore =
      lead !== null &&
      lead.signupEventId === null &&
      lead.customerSince !== null &&
      lead.customerSince < sale.createdAt;
    if (isFromBefore && (await isEarnedHere(store, sale))) return true;
  }
  return false;
}

/** Whether a reward of ours paid for a sale. The commissions of an imported one name no reward. */
async function isEarnedHere(store: Store, { accountId, commissionIds }: Sale): Promise<boolean> {
  for (const id of commissionIds) {
    const commission = await store.get(commissions, accountId, id);
    if (commission !== null && commission.rewardId !== null) return true;
  }
  return false;
}
