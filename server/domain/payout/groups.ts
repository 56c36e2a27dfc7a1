import { setImmediate as othersTurn } from "node:timers/promises";
import { PAYOUT_STATUSES, type Payout, type PayoutStatus } from "./record.ts";
import type { Account } from "../account/record.ts";
import { dayIn, timeZoneOf } from "../account/time-zone.ts";
import type { Store } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { payeeReader, type Payee, type PayeeReader } from "./payee.ts";
import { isNamed } from "./filter.ts";
import { unpayableReason, type UnpayableReason } from "./unpayable-reason.ts";
import { payouts, periodEndDateOf } from "./payout.ts";
import { unlessGone } from "../show.ts";

/** Promoters checked before other requests get a turn. */
const TURN = 500;

export const INVOICEABLE = ["true", "false", "not_set"] as const;
/** Choice: `true` means approved invoice details, `false` denied ones, `not_set` those that nobody has reviewed. */
const INVOICE_STATUS = { true: "approved", false: "denied", not_set: "pending" } as const;

interface GroupFilter {
  text?: string | undefined;
  status?: PayoutStatus | undefined;
  campaignIds?: number[] | undefined;
  minPaymentCents?: number | undefined;
  invoiceable?: (typeof INVOICEABLE)[number] | undefined;
}

/** The cash sum of some payouts. Choice: amounts in other units can't be added to money and count as nothing. */
export interface PayoutSums {
  cents: number;
  centsInclTax: number;
}

/** The payouts of one promoter. */
export interface PayoutGroup extends PayoutSums {
  payee: Payee;
  payouts: Payout[];
  /** null: the payouts can be paid. */
  unpayableReason: UnpayableReason | null;
}

/** A page of groups, and the sums over everything that passes the filter. */
export interface PayoutGroups extends PayoutSums {
  groups: PayoutGroup[];
  promotersCount: number;
  /** The next due date, otherwise the last one, with the end of its period. null: there are no payouts. */
  due: { dueDate: string; periodEndDate: string } | null;
}

type GroupSums = PayoutSums & { promoterId: number };

/**
 * Groups payouts by promoter, oldest promoter first. Sums come from counters, so only the page's payouts are read.
 */
export async function groupPayouts(
  context: Context,
  account: Account,
  { filter, offset, limit }: { filter: GroupFilter; offset: number; limit: number },
): Promise<PayoutGroups> {
  const { store } = context;
  const readers = payeeReader(store, account.id);
  const all = await sumsByPromoter(store, account.id, filter);
  const kept = await passing(all, filter, readers);
  const groups: PayoutGroup[] = [];
  for (const { promoterId, cents, centsInclTax } of kept.slice(offset, offset + limit)) {
    const payee = await unlessGone(readers.payee(promoterId));
    if (payee === null) continue;
    const own = await payoutsOf(store, account.id, { promoterId, filter });
    groups.push({
      payee,
      payouts: own,
      unpayableReason: unpayableReason(payee, account),
      cents,
      centsInclTax,
    });
  }
  return {
    groups,
    promotersCount: kept.length,
    cents: kept.reduce((sum, { cents }) => sum + cents, 0),
    centsInclTax: kept.reduce((sum, { centsInclTax }) => sum + centsInclTax, 0),
    due: comingDue(
      dayIn(timeZoneOf(account), context.now),
      await dueDays(store, account.id, { filter, kept }),
    ),
  };
}

async function sumsByPromoter(store: Store, accountId: number, filter: GroupFilter): Promise<GroupSums[]> {
  const groups = new Map<number, GroupSums>();
  for (const status of statuses(filter)) {
    for await (const sums of store.sums(accountId, ["payout.grouped", status])) {
      for (const [[promoterId, campaignId, metric], sum] of sums) {
        if (!isWanted(filter, campaignId) || typeof promoterId !== "number") continue;
        const group = groups.get(promoterId) ?? { promoterId, cents: 0, centsInclTax: 0 };
        groups.set(promoterId, group);
        if (metric === "cents" || metric === "centsInclTax") group[metric] += sum;
      }
    }
  }
  return [...groups.values()].sort((left, right) => left.promoterId - right.promoterId);
}

async function passing(
  groups: GroupSums[],
  { minPaymentCents = 0, text, invoiceable }: GroupFilter,
  readers: PayeeReader,
): Promise<GroupSums[]> {
  const paid = groups.filter(({ cents }) => cents >= minPaymentCents);
  if (text === undefined && invoiceable === undefined) return paid;
  const kept: GroupSums[] = [];
  for (const [at, group] of paid.entries()) {
    if (at % TURN === TURN - 1) await othersTurn();
    const payee = await unlessGone(readers.payee(group.promoterId));
    if (payee === null) continue;
    const { promoter } = payee;
    if (text !== undefined && !isNamed(promoter, text)) continue;
    if (invoiceable === undefined || promoter.invoiceDetailsStatus === INVOICE_STATUS[invoiceable]) {
      kept.push(group);
    }
  }
  return kept;
}

async function payoutsOf(
  store: Store,
  accountId: number,
  { promoterId, filter }: { promoterId: number; filter: GroupFilter },
): Promise<Payout[]> {
  const own: Payout[] = [];
  for (const status of statuses(filter)) {
    for await (const chunk of store.scan(payouts, "statusPromoter", accountId, [status, promoterId])) {
      own.push(...chunk.filter(({ campaignId }) => isWanted(filter, campaignId)));
    }
  }
  return own.sort((left, right) => left.id - right.id);
}

type DueDay = [dueDate: string, periodEndDate: string];

/** The due dates of all payouts are counted. Those of some promoters alone are read from their payouts. */
async function dueDays(
  store: Store,
  accountId: number,
  { filter, kept }: { filter: GroupFilter; kept: GroupSums[] },
): Promise<DueDay[]> {
  const days: DueDay[] = [];
  if (filter.text ?? filter.invoiceable ?? filter.minPaymentCents) {
    for (const [at, { promoterId }] of kept.entries()) {
      if (at % TURN === TURN - 1) await othersTurn();
      for (const payout of await payoutsOf(store, accountId, { promoterId, filter })) {
        if (!payout.hasOwnTerms) days.push([payout.dueDate, periodEndDateOf(payout)]);
      }
    }
    return days;
  }
  for (const status of statuses(filter)) {
    for await (const sums of store.sums(accountId, ["payout.due", status])) {
      for (const [[campaignId, dueDate, periodEndDate]] of sums) {
        if (isWanted(filter, campaignId)) days.push([String(dueDate), String(periodEndDate)]);
      }
    }
  }
  return days;
}

function comingDue(today: string, days: DueDay[]): PayoutGroups["due"] {
  days.sort(([left], [right]) => (left < right ? -1 : 1));
  const [dueDate, periodEndDate] = days.find(([day]) => day >= today) ?? days.at(-1) ?? [];
  return dueDate === undefined || periodEndDate === undefined ? null : { dueDate, periodEndDate };
}

function statuses({ status }: GroupFilter): readonly PayoutStatus[] {
  return status === undefined ? PAYOUT_STATUSES : [status];
}

function isWanted({ campaignIds }: GroupFilter, campaignId: unknown): boolean {
  return campaignIds === undefined || campaignIds.includes(Number(campaignId));
}
