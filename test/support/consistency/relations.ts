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
type WithId = { account_id: number; id: number };

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
  for (const { id, default_campaign_id } of of(accounts)) {
    if (!has(campaigns, id, default_campaign_id)) report(`account ${id} has no default campaign`);
  }
  for (const { owner_id } of of(apiKeys))
    if (!has(accounts, 0, owner_id)) report(`a key of nobody (${owner_id})`);
  for (const owned of [...of(payoutMethods), ...of(commissions), ...of(payouts), ...of(promoterCampaigns)]) {
    const { account_id, promoter_id, id } = owned;
    if (!has(promoters, account_id, promoter_id)) report(`${JSON.stringify(owned)} ${id} lost its promoter`);
  }
  for (const owned of [...of(commissions), ...of(payouts), ...of(promoterCampaigns), ...of(leads)]) {
    if (!has(campaigns, owned.account_id, owned.campaign_id))
      report(`${JSON.stringify(owned)} lost its campaign`);
  }
  for (const { account_id, promoter_id } of of(promoterAddresses)) {
    if (!has(promoters, account_id, promoter_id)) report(`an address of no promoter (${promoter_id})`);
  }
  checkCommissions(of, report);
  checkPayouts(of, has, report);
  checkBooks(of, report);
  for (const { account_id, id, payout_method_id } of of(payouts)) {
    if (payout_method_id !== null && !has(payoutMethods, account_id, payout_method_id))
      report(`payout ${id} lost its method`);
  }
  for (const { account_id, id, reward_id, promoter_campaign_id, archived_at } of of(promoCodes)) {
    if (!has(rewards, account_id, reward_id)) report(`promo code ${id} lost its reward`);
    if (archived_at === null && !has(promoterCampaigns, account_id, promoter_campaign_id))
      report(`promo code ${id} is in use by nobody`);
  }
  for (const { account_id, promoter_campaign_id } of of(archivedStates)) {
    if (!has(promoterCampaigns, account_id, promoter_campaign_id)) report("a state of no promoter campaign");
  }
  for (const { account_id, id, upgrade, rewards_for_promoters, rewards_for_referrals } of of(campaigns)) {
    if (upgrade !== null && !has(campaigns, account_id, upgrade.campaign_id))
      report(`campaign ${id} leads to none`);
    for (const { reward_id } of [...rewards_for_promoters, ...rewards_for_referrals])
      if (!has(rewards, account_id, reward_id)) report(`campaign ${id} gives no reward`);
  }
  for (const { account_id, ext_id, product_id } of of(productPrices)) {
    if (!has(products, account_id, product_id)) report(`price ${ext_id} lost its product`);
  }
  checkPromoters(of, has, report);
  for (const from of WITH_IDS) {
    const most = Math.max(0, ...of(from).map(({ id }) => id));
    if (most >= (nextIds.get(from.name) ?? 1)) report(`${from.name} ${most} was given without being taken`);
  }
}

/** A commission and those that take it back name each other, and so do sales and refunds and their commissions. */
function checkCommissions(of: RecordsOf, report: Report): void {
  const known = new Map(of(commissions).map((each) => [`${each.account_id} ${each.id}`, each]));
  for (const { account_id, id, taken_back_by_ids, takes_back_id, status } of known.values()) {
    for (const takeBackId of taken_back_by_ids) {
      const takeBack = known.get(`${account_id} ${takeBackId}`);
      if (takeBack?.takes_back_id !== id) report(`commission ${id} is not taken back by ${takeBackId}`);
      else if (takeBack.status !== status) report(`commission ${takeBackId} does not follow ${id}`);
    }
    const original = takes_back_id === null ? undefined : known.get(`${account_id} ${takes_back_id}`);
    if (takes_back_id !== null && !original?.taken_back_by_ids.includes(id))
      report(`commission ${id} takes back ${takes_back_id}, which does not know it`);
  }
  for (const [from, field] of [
    [sales, "sale_id"],
    [refunds, "refund_id"],
  ] as const) {
    for (const { account_id, id, commission_ids } of of(from as Table<Sale | Refund>)) {
      for (const commissionId of commission_ids) {
        if (known.get(`${account_id} ${commissionId}`)?.[field] !== id)
          report(`${from.name} ${id} has no commission ${commissionId}`);
      }
    }
  }
}

/** The law of the books: the entries of a record, if it has any, add up to what it adds to the balances now. */
function checkBooks(of: RecordsOf, report: Report): void {
  const sums = new Map<string, number>();
  for (const { account_id, record, record_id, promoter_id, kind, amount } of of(bookEntries)) {
    const key = `${record} ${account_id} ${record_id} of ${promoter_id}`;
    if (kind !== "fee") sums.set(key, (sums.get(key) ?? 0) + amount);
  }
  const booked = new Set([...sums.keys()].map((key) => key.slice(0, key.indexOf(" of "))));
  for (const { account_id, id, promoter_id, status, unit, amount, is_paid_elsewhere } of of(commissions)) {
    if (
      booked.has(`commission ${account_id} ${id}`) &&
      unit === "cash" &&
      status === "approved" &&
      !is_paid_elsewhere
    )
      add(`commission ${account_id} ${id} of ${promoter_id}`, -amount);
  }
  for (const { account_id, id, promoter_id, status, unit, amount } of of(payouts)) {
    if (booked.has(`payout ${account_id} ${id}`) && unit === "cash" && status === "completed")
      add(`payout ${account_id} ${id} of ${promoter_id}`, amount);
  }
  for (const [key, sum] of sums) if (sum !== 0) report(`the books have ${sum} too much for ${key}`);

  function add(key: string, amount: number): void {
    sums.set(key, (sums.get(key) ?? 0) + amount);
  }
}

/** The law of payouts: each is the sum of its commissions, which are approved and in no other. */
function checkPayouts(of: RecordsOf, has: ReturnType<typeof finder>, report: Report): void {
  const sums = new Map<string, number>();
  for (const { account_id, id, payout_id, status, amount } of of(commissions)) {
    if (payout_id === null) continue;
    if (!has(payouts, account_id, payout_id)) report(`commission ${id} lost its payout`);
    if (status !== "approved") report(`payout ${payout_id} pays commission ${id}, which is ${status}`);
    sums.set(`${account_id} ${payout_id}`, (sums.get(`${account_id} ${payout_id}`) ?? 0) + amount);
  }
  for (const { account_id, id, run_id, amount, status, payments_batch_id } of of(payouts)) {
    if (run_id !== null && status !== "cancelled" && sums.get(`${account_id} ${id}`) !== amount)
      report(`payout ${id} is not the sum of its commissions`);
    if (run_id !== null && !has(payoutRuns, account_id, run_id)) report(`payout ${id} lost its run`);
    if (payments_batch_id !== null && !has(paymentsBatches, account_id, payments_batch_id))
      report(`payout ${id} lost its batch`);
  }
}

function checkPromoters(of: RecordsOf, has: ReturnType<typeof finder>, report: Report): void {
  const parents = new Map<string, number | null>();
  for (const { account_id, id, parent_promoter_id, default_promoter_campaign_id } of of(promoters)) {
    parents.set(`${account_id} ${id}`, parent_promoter_id);
    if (!has(promoterCampaigns, account_id, default_promoter_campaign_id))
      report(`promoter ${id} is in no campaign`);
    if (parent_promoter_id !== null && !has(promoters, account_id, parent_promoter_id))
      report(`promoter ${id} has lost its parent`);
  }
  for (const { account_id, id } of of(promoters)) {
    let above = parents.get(`${account_id} ${id}`) ?? null;
    for (let steps = 0; above !== null && steps <= parents.size; steps++) {
      if (above === id) {
        report(`promoter ${id} stands above itself`);
        break;
      }
      above = parents.get(`${account_id} ${above}`) ?? null;
    }
  }
  const tokens = new Map(of(refTokens).map((token) => [`${token.account_id} ${token.token}`, token]));
  for (const { account_id, id, ref_token, more_ref_tokens = [] } of of(promoterCampaigns)) {
    for (const token of [ref_token, ...more_ref_tokens])
      if (tokens.get(`${account_id} ${token}`)?.promoter_campaign_id !== id)
        report(`promoter campaign ${id} is not found by its ref token`);
  }
  const owners = new Map(of(promoterCampaigns).map((owner) => [`${owner.account_id} ${owner.id}`, owner]));
  for (const { account_id, token, promoter_campaign_id } of tokens.values()) {
    if (promoter_campaign_id === null) continue;
    const owner = owners.get(`${account_id} ${promoter_campaign_id}`);
    if (owner?.ref_token !== token && !owner?.more_ref_tokens?.includes(token))
      report(`ref token ${token} leads to one that has another`);
  }
}

/** Checks that each lane counts its open deliveries, and that only one of them is due. */
export function checkLanes({ of }: Holdings, report: Report): void {
  const open = new Map<string, { count: number; due: number }>();
  for (const delivery of of(deliveries)) {
    if (delivery.finished_at !== null || delivery.status === "held") continue;
    const key = JSON.stringify([destinationOf(delivery), delivery.lane]);
    const known = open.get(key) ?? { count: 0, due: 0 };
    open.set(key, { count: known.count + 1, due: known.due + (delivery.due_at === null ? 0 : 1) });
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
      ids = new Set(of(from as Table<WithId>).map((record) => `${record.account_id} ${record.id}`));
      known.set(from.name, ids);
    }
    return ids.has(`${accountId} ${id}`);
  };
}
