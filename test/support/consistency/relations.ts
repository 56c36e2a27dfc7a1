import { accounts } from "../../../server/domain/program/account/account.ts";
import { apiKeys } from "../../../server/domain/program/account/api-key.ts";
import { batchProcesses } from "../../../server/domain/batch.ts";
import { bookEntries } from "../../../server/domain/ledger/books/entry.ts";
import { campaigns } from "../../../server/domain/program/campaign/campaign.ts";
import { commissions } from "../../../server/domain/ledger/commission/commission.ts";
import { deliveries, destinationOf, lanes } from "../../../server/domain/events/webhook/delivery.ts";
import { leads } from "../../../server/domain/people/lead/lead.ts";
import { paymentsBatches } from "../../../server/domain/ledger/payments-batch/batch.ts";
import { payoutRuns } from "../../../server/domain/ledger/payout-run/payout-run.ts";
import { payoutMethods } from "../../../server/domain/ledger/payout-method/payout-method.ts";
import { payouts } from "../../../server/domain/ledger/payout/payout.ts";
import { productPrices, products } from "../../../server/domain/program/product.ts";
import { promoCodes } from "../../../server/domain/people/promo-code/promo-code.ts";
import { archivedStates } from "../../../server/domain/people/promoter/changes.ts";
import {
  promoterCampaigns,
  refTokens,
} from "../../../server/domain/people/promoter-campaign/promoter-campaign.ts";
import { promoters } from "../../../server/domain/people/promoter/promoter.ts";
import { rewards } from "../../../server/domain/program/reward/reward.ts";
import { refunds, sales, type Refund, type Sale } from "../../../server/domain/ledger/sale/sale.ts";
import { promoterAddresses } from "../../../server/domain/people/lead/suspicion.ts";
import { webhooks } from "../../../server/domain/events/webhook/webhook.ts";
import type { Table } from "../../../server/storage/table.ts";
import type { Holdings, RecordsOf } from "./structure.ts";

type Report = (fault: string) => void;
type WithId = { accountId: number; id: number };

/** The tables whose ids are given one after the other. */
const WITH_IDS = [
  promoters,
  promoterCampaigns,
  leads,
  payouts,
  commissions,
  campaigns,
  rewards,
  products,
  promoCodes,
  payoutMethods,
  webhooks,
  deliveries,
  batchProcesses,
] as unknown as Table<WithId>[];

/** Checks that every record that another one names exists in the same account. */
export function checkRelations({ of, nextIds }: Holdings, report: Report): void {
  const has = finder(of);
  for (const { id, defaultCampaignId } of of(accounts)) {
    if (!has(campaigns, id, defaultCampaignId)) report(`account ${id} has no default campaign`);
  }
  for (const { ownerId } of of(apiKeys))
    if (!has(accounts, 0, ownerId)) report(`a key of nobody (${ownerId})`);
  for (const owned of [...of(payoutMethods), ...of(commissions), ...of(payouts), ...of(promoterCampaigns)]) {
    const { accountId, promoterId, id } = owned;
    if (!has(promoters, accountId, promoterId)) report(`${JSON.stringify(owned)} ${id} lost its promoter`);
  }
  for (const owned of [...of(commissions), ...of(payouts), ...of(promoterCampaigns), ...of(leads)]) {
    if (!has(campaigns, owned.accountId, owned.campaignId))
      report(`${JSON.stringify(owned)} lost its campaign`);
  }
  for (const { accountId, promoterId } of of(promoterAddresses)) {
    if (!has(promoters, accountId, promoterId)) report(`an address of no promoter (${promoterId})`);
  }
  checkCommissions(of, report);
  checkPayouts(of, has, report);
  checkBooks(of, report);
  for (const { accountId, id, payoutMethodId } of of(payouts)) {
    if (payoutMethodId !== null && !has(payoutMethods, accountId, payoutMethodId))
      report(`payout ${id} lost its method`);
  }
  for (const { accountId, id, rewardId, promoterCampaignId, archivedAt } of of(promoCodes)) {
    if (!has(rewards, accountId, rewardId)) report(`promo code ${id} lost its reward`);
    if (archivedAt === null && !has(promoterCampaigns, accountId, promoterCampaignId))
      report(`promo code ${id} is in use by nobody`);
  }
  for (const { accountId, promoterCampaignId } of of(archivedStates)) {
    if (!has(promoterCampaigns, accountId, promoterCampaignId)) report("a state of no promoter campaign");
  }
  for (const { accountId, id, upgrade, rewardsForPromoters, rewardsForReferrals } of of(campaigns)) {
    if (upgrade !== null && !has(campaigns, accountId, upgrade.campaignId))
      report(`campaign ${id} leads to none`);
    for (const { rewardId } of [...rewardsForPromoters, ...rewardsForReferrals])
      if (!has(rewards, accountId, rewardId)) report(`campaign ${id} gives no reward`);
  }
  for (const { accountId, extId, productId } of of(productPrices)) {
    if (!has(products, accountId, productId)) report(`price ${extId} lost its product`);
  }
  checkPromoters(of, has, report);
  for (const from of WITH_IDS) {
    const most = Math.max(0, ...of(from).map(({ id }) => id));
    if (most >= (nextIds.get(from.name) ?? 1)) report(`${from.name} ${most} was given without being taken`);
  }
}

/** A commission and those that take it back name each other, and so do sales and refunds and their commissions. */
function checkCommissions(of: RecordsOf, report: Report): void {
  const known = new Map(of(commissions).map((each) => [`${each.accountId} ${each.id}`, each]));
  for (const { accountId, id, takenBackByIds, takesBackId, status } of known.values()) {
    for (const takeBackId of takenBackByIds) {
      const takeBack = known.get(`${accountId} ${takeBackId}`);
      if (takeBack?.takesBackId !== id) report(`commission ${id} is not taken back by ${takeBackId}`);
      else if (takeBack.status !== status) report(`commission ${takeBackId} does not follow ${id}`);
    }
    const original = takesBackId === null ? undefined : known.get(`${accountId} ${takesBackId}`);
    if (takesBackId !== null && !original?.takenBackByIds.includes(id))
      report(`commission ${id} takes back ${takesBackId}, which does not know it`);
  }
  for (const [from, field] of [
    [sales, "saleId"],
    [refunds, "refundId"],
  ] as const) {
    for (const { accountId, id, commissionIds } of of(from as Table<Sale | Refund>)) {
      for (const commissionId of commissionIds) {
        if (known.get(`${accountId} ${commissionId}`)?.[field] !== id)
          report(`${from.name} ${id} has no commission ${commissionId}`);
      }
    }
  }
}

/** The law of the books: the entries of a record, if it has any, add up to what it adds to the balances now. */
function checkBooks(of: RecordsOf, report: Report): void {
  const sums = new Map<string, number>();
  for (const { accountId, record, recordId, promoterId, kind, amount } of of(bookEntries)) {
    const key = `${record} ${accountId} ${recordId} of ${promoterId}`;
    if (kind !== "fee") sums.set(key, (sums.get(key) ?? 0) + amount);
  }
  const booked = new Set([...sums.keys()].map((key) => key.slice(0, key.indexOf(" of "))));
  for (const { accountId, id, promoterId, status, unit, amount, isPaidElsewhere } of of(commissions)) {
    if (
      booked.has(`commission ${accountId} ${id}`) &&
      unit === "cash" &&
      status === "approved" &&
      !isPaidElsewhere
    )
      add(`commission ${accountId} ${id} of ${promoterId}`, -amount);
  }
  for (const { accountId, id, promoterId, status, unit, amount } of of(payouts)) {
    if (booked.has(`payout ${accountId} ${id}`) && unit === "cash" && status === "completed")
      add(`payout ${accountId} ${id} of ${promoterId}`, amount);
  }
  for (const [key, sum] of sums) if (sum !== 0) report(`the books have ${sum} too much for ${key}`);

  function add(key: string, amount: number): void {
    sums.set(key, (sums.get(key) ?? 0) + amount);
  }
}

/** The law of payouts: each is the sum of its commissions, which are approved and in no other. */
function checkPayouts(of: RecordsOf, has: ReturnType<typeof finder>, report: Report): void {
  const sums = new Map<string, number>();
  for (const { accountId, id, payoutId, status, amount } of of(commissions)) {
    if (payoutId === null) continue;
    if (!has(payouts, accountId, payoutId)) report(`commission ${id} lost its payout`);
    if (status !== "approved") report(`payout ${payoutId} pays commission ${id}, which is ${status}`);
    sums.set(`${accountId} ${payoutId}`, (sums.get(`${accountId} ${payoutId}`) ?? 0) + amount);
  }
  for (const { accountId, id, runId, amount, status, paymentsBatchId } of of(payouts)) {
    if (runId !== null && status !== "cancelled" && sums.get(`${accountId} ${id}`) !== amount)
      report(`payout ${id} is not the sum of its commissions`);
    if (runId !== null && !has(payoutRuns, accountId, runId)) report(`payout ${id} lost its run`);
    if (paymentsBatchId !== null && !has(paymentsBatches, accountId, paymentsBatchId))
      report(`payout ${id} lost its batch`);
  }
}

function checkPromoters(of: RecordsOf, has: ReturnType<typeof finder>, report: Report): void {
  const parents = new Map<string, number | null>();
  for (const { accountId, id, parentPromoterId, defaultPromoterCampaignId } of of(promoters)) {
    parents.set(`${accountId} ${id}`, parentPromoterId);
    if (!has(promoterCampaigns, accountId, defaultPromoterCampaignId))
      report(`promoter ${id} is in no campaign`);
    if (parentPromoterId !== null && !has(promoters, accountId, parentPromoterId))
      report(`promoter ${id} has lost its parent`);
  }
  for (const { accountId, id } of of(promoters)) {
    let above = parents.get(`${accountId} ${id}`) ?? null;
    for (let steps = 0; above !== null && steps <= parents.size; steps++) {
      if (above === id) {
        report(`promoter ${id} stands above itself`);
        break;
      }
      above = parents.get(`${accountId} ${above}`) ?? null;
    }
  }
  const tokens = new Map(of(refTokens).map((token) => [`${token.accountId} ${token.token}`, token]));
  for (const { accountId, id, refToken, moreRefTokens = [] } of of(promoterCampaigns)) {
    for (const token of [refToken, ...moreRefTokens])
      if (tokens.get(`${accountId} ${token}`)?.promoterCampaignId !== id)
        report(`promoter campaign ${id} is not found by its ref token`);
  }
  const owners = new Map(of(promoterCampaigns).map((owner) => [`${owner.accountId} ${owner.id}`, owner]));
  for (const { accountId, token, promoterCampaignId } of tokens.values()) {
    if (promoterCampaignId === null) continue;
    const owner = owners.get(`${accountId} ${promoterCampaignId}`);
    if (owner?.refToken !== token && !owner?.moreRefTokens?.includes(token))
      report(`ref token ${token} leads to one that has another`);
  }
}

/** Checks that each lane counts its open deliveries, and that only one of them is due. */
export function checkLanes({ of }: Holdings, report: Report): void {
  const open = new Map<string, { count: number; due: number }>();
  for (const delivery of of(deliveries)) {
    if (delivery.finishedAt !== null || delivery.status === "held") continue;
    const key = JSON.stringify([destinationOf(delivery), delivery.lane]);
    const known = open.get(key) ?? { count: 0, due: 0 };
    open.set(key, { count: known.count + 1, due: known.due + (delivery.dueAt === null ? 0 : 1) });
  }
  for (const { destination, lane, count } of of(lanes)) {
    const key = JSON.stringify([destination, lane]);
    const found = open.get(key);
    if (found?.count !== count) report(`lane ${key} counts ${count} of ${found?.count}`);
    if (found?.due !== 1) report(`lane ${key} has ${found?.due} that are due`);
    open.delete(key);
  }
  for (const key of open.keys()) report(`lane ${key} is missing`);
}

function finder(of: RecordsOf) {
  const known = new Map<string, Set<string>>();
  return (from: { name: string }, accountId: number, id: number): boolean => {
    let ids = known.get(from.name);
    if (ids === undefined) {
      ids = new Set(of(from as Table<WithId>).map((record) => `${record.accountId} ${record.id}`));
      known.set(from.name, ids);
    }
    return ids.has(`${accountId} ${id}`);
  };
}
