import { Failure } from "../../failure.ts";
import { marked, withoutPersonal } from "../../storage/marks.ts";
import { keyOf } from "../../storage/record.ts";
import type { Store, Transaction, View } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";
import { servedAccounts } from "../program/account/account.ts";
import { withoutLog } from "../access/audit/audited-store.ts";
import { endSessions } from "../access/session.ts";
import { commissions } from "../ledger/commission/commission.ts";
import { systemChance, type Context, type JobContext } from "../context.ts";
import { announce } from "../events/event.ts";
import { eraseDocuments } from "../people/contract/document.ts";
import { isProposed, leads, type Lead } from "../people/lead/lead.ts";
import { findLeadByEmail, listArchived, listProposals } from "../people/lead/search.ts";
import { promoterAddresses } from "../people/lead/suspicion.ts";
import { forgetMigrationTexts } from "../program/migration/migration.ts";
import { forgetSourceTexts } from "../program/migration/source-id.ts";
import { forgetSubIds } from "../people/origin.ts";
import { taxDetails } from "../ledger/invoice/tax-details.ts";
import { payments } from "../ledger/payment/payment.ts";
import { leaveStripeAccount } from "../ledger/payment/stripe-account.ts";
import { payoutHolds } from "../ledger/payout-method/changes.ts";
import { payoutMethods } from "../ledger/payout-method/payout-method.ts";
import { payouts } from "../ledger/payout/payout.ts";
import { promoCodes } from "../people/promo-code/promo-code.ts";
import { lockPromoterCampaigns } from "../people/promoter-campaign/search.ts";
import {
  promoterCampaigns,
  forgetRefTokens,
  refTokens,
} from "../people/promoter-campaign/promoter-campaign.ts";
import { archivedStates } from "../people/promoter/changes.ts";
import { AUTH_TOKEN_LENGTH } from "../people/promoter/creation.ts";
import { forgetMailboxes, loadPromoter, promoters, type Promoter } from "../people/promoter/promoter.ts";
import { loadSelected } from "../people/promoter/search.ts";
import { forgetMailings } from "../people/mailing/mailing.ts";
import { removeOwnLinks } from "../people/referral-link.ts";
import { eraseWaiting, waitingEvents, withoutNotes } from "../ledger/sale/waiting.ts";
import { removeVisitor, visitors, visitorsOfBrowser } from "../people/visitor/visitor.ts";
import { unfinishedErasures, withErasedEmail, type UnfinishedErasure } from "../people/erased.ts";
import { eraseEvents } from "./events.ts";
import { eraseAuditEntries, forgetOrigins, logErasure } from "./traces.ts";

/**
 * Erases all personal data of a promoter. Earnings and payouts stay with their ids, because the books must be
 * kept. Their leads stay too, because they are other people.
 *
 * The promoter's own records change in one commit, which also closes their links. From then on no personal
 * data can be added. Visits, payouts and events follow one by one, because there may be any number. Receivers
 * of events about the person get a deletion event.
 *
 * @throws Failure `not_found`
 * @see docs/spec/states.md "Erasures"
 */
export async function erasePromoter(given: Context, accountId: number, who: string): Promise<Promoter> {
  const context = withoutLog(given);
  const { store } = context;
  const by = who.includes("@") ? "email" : "id";
  const { id } = (await loadSelected(store, accountId, { by, value: who })).promoter;
  const erased = await store.transact(async (tx) => {
    // Other transactions that change the promoter wait, so that no personal data is added meanwhile.
    await tx.lock(promoters, accountId, id);
    const promoter = await loadPromoter(tx, accountId, id);
    const after = await erasedPromoter(tx, context, promoter);
    await forgetMailboxes(tx, promoter);
    await endSessions(tx, { kind: "promoter", account_id: accountId, id });
    await tx.put(promoters, after);
    await logErasure(tx, context, { account_id: accountId, entity: "promoter", id });
    const promoterCampaignIds = await erasePromoterCampaigns(tx, context, promoter);
    for (const method of await tx.view.list(payoutMethods, "promoter", accountId, [id]))
      await tx.put(payoutMethods, { ...withoutPersonal(payoutMethods, method), is_disabled: true });
    await tx.remove(payoutHolds, accountId, id);
    await forgetMailings(tx, { account_id: accountId, id });
    await eraseDocuments(tx, promoter);
    await leaveStripeAccount(tx, context, { account_id: accountId, promoter_id: id });
    await tx.remove(taxDetails, accountId, id);
    await forgetSourceTexts(tx, accountId, { kind: "promoter", record_id: id });
    await forgetMigrationTexts(tx, accountId);
    for (const seen of await tx.view.list(promoterAddresses, "id", accountId, [id]))
      await tx.remove(promoterAddresses, accountId, ...keyOf(promoterAddresses, seen));
    const rest = {
      account_id: accountId,
      entity: "promoter" as const,
      entity_id: id,
      promoter_campaign_ids: promoterCampaignIds,
    };
    await tx.put(unfinishedErasures, rest);
    return { promoter: after, rest };
  });
  await finishErasure(context, erased.rest);
  return erased.promoter;
}

/**
 * Erases all personal data of a lead. The record stays without a name, with its dates and state, because
 * counts and commissions depend on it. Receivers get a deletion event, as for a promoter.
 *
 * Promoters' proposals for the same e-mail address are erased in the same commit.
 *
 * @returns the lead, or if there is none the first proposal
 * @throws Failure `not_found`
 */
export async function eraseLead(given: Context, accountId: number, who: string): Promise<Lead> {
  const context = withoutLog(given);
  const { store } = context;
  const [first, ...others] = await store.transact(async (tx) => {
    const erased: Lead[] = [];
    await forgetMigrationTexts(tx, accountId);
    for (const id of await leadIdsOf(tx.view, accountId, who)) {
      const lead = await tx.lock(leads, accountId, id);
      if (lead === null) throw noLead();
      await forgetVisitor(tx, lead);
      await eraseWaiting(tx, lead);
      const after = await erasedLead(tx, lead);
      await tx.put(leads, after);
      await forgetSourceTexts(tx, accountId, { kind: "customer", record_id: id });
      await logErasure(tx, context, { account_id: accountId, entity: "referral", id });
      await tx.put(unfinishedErasures, restOf(after));
      erased.push(after);
    }
    return erased;
  });
  if (first === undefined) throw noLead();
  for (const each of [first, ...others]) await finishErasure(context, restOf(each));
  return first;
}

/** Completes erasures whose process was killed. This is harmless if the process is still running. */
export async function* finishErasures({ store, clock }: JobContext): AsyncGenerator<void> {
  for await (const account of servedAccounts(store)) {
    const context = () => ({ store, now: clock(), chance: systemChance });
    for await (const _ of finishErasuresOf(context, account.id)) yield;
  }
}

/** The same for one account. Yields what it has completed. */
export async function* finishErasuresOf(
  context: () => Context,
  accountId: number,
): AsyncGenerator<UnfinishedErasure> {
  for await (const chunk of context().store.scan(unfinishedErasures, "id", accountId, [])) {
    for (const rest of chunk) {
      await finishErasure(withoutLog(context()), rest);
      yield rest;
    }
  }
}

/** A promoter's record without personal data. */
function erasedPromoter(tx: Transaction, { now, chance }: Context, promoter: Promoter): Promise<Promoter> {
  const { is_unconfirmed: _unconfirmed, ...kept } = withoutPersonal(promoters, promoter);
  return withErasedEmail(tx, promoters, {
    ...kept,
    auth_token: chance.token(AUTH_TOKEN_LENGTH),
    skip_email_notification: true,
    archived_at: promoter.archived_at ?? now.toISOString(),
  });
}

/**
 * Blocks all promoter campaigns of a promoter, removes names from their links and codes, and returns their
 * ids.
 */
async function erasePromoterCampaigns(
  tx: Transaction,
  context: Context,
  promoter: Promoter,
): Promise<number[]> {
  const { account_id } = promoter;
  const joined = await lockPromoterCampaigns(tx, promoter);
  for (const former of joined) {
    const { id } = former;
    // Derived tokens never have this form, so it is free.
    const refToken = `erased-${id}-${context.chance.digits(10)}`;
    await erasePromoCodes(tx, context, { account_id, promoter_campaign_id: id });
    await removeOwnLinks(tx, former);
    await forgetRefTokens(tx, former);
    await tx.put(refTokens, { account_id, token: refToken, promoter_campaign_id: id });
    await tx.remove(archivedStates, account_id, id);
    await tx.put(promoterCampaigns, {
      ...withoutPersonal(promoterCampaigns, former),
      state: "blocked",
      ref_token: refToken,
      uses_url_tracking: false,
    });
  }
  return joined.map(({ id }) => id);
}

async function erasePromoCodes(
  tx: Transaction,
  { now }: Context,
  { account_id, promoter_campaign_id }: { account_id: number; promoter_campaign_id: number },
): Promise<void> {
  for (const promoCode of await tx.view.list(promoCodes, "promoter_campaign", account_id, [
    promoter_campaign_id,
  ])) {
    await tx.put(promoCodes, {
      ...withoutPersonal(promoCodes, promoCode),
      code: `erased-${promoCode.id}`,
      archived_at: promoCode.archived_at ?? now.toISOString(),
    });
  }
}

/** Does the work after the first commit of an erasure. Each step may be repeated. */
async function finishErasure(context: Context, rest: UnfinishedErasure): Promise<void> {
  const { account_id, entity, entity_id } = rest;
  const { store } = context;
  if (entity === "promoter") await eraseTraces(context, rest);
  else {
    await eraseEach(store, commissions, { index: "lead", account_id, id: entity_id });
    await eraseAuditEntries(store, { account_id, lead_id: entity_id });
    await eraseEvents(context, { account_id, lead_id: entity_id });
  }
  await store.transact(async (tx) => {
    // Another process may have been faster.
    if ((await tx.get(unfinishedErasures, account_id, entity, entity_id)) === null) return;
    await tx.remove(unfinishedErasures, account_id, entity, entity_id);
    await announceDeletion(tx, context, rest);
  });
}

async function eraseTraces(context: Context, { account_id, entity_id: id, ...rest }: UnfinishedErasure) {
  const { store } = context;
  const promoterCampaignIds = new Set(rest.promoter_campaign_ids);
  await eraseVisits(store, account_id, promoterCampaignIds);
  await forgetOrigins(store, account_id, id);
  await eraseChannels(store, account_id, id);
  await forgetSubIds(store, account_id, promoterCampaignIds);
  await eraseWaitingNotes(store, account_id, id);
  // Banks' errors may contain names and account numbers, and notes are free text.
  await eraseEach(store, payouts, { index: "promoter", account_id, id });
  await eraseEach(store, payments, { index: "promoter", account_id, id });
  await eraseEach(store, commissions, { index: "noted", account_id, id });
  await eraseAuditEntries(store, { account_id, promoter_id: id, promoter_campaign_ids: promoterCampaignIds });
  await eraseEvents(context, { account_id, promoter_id: id, promoter_campaign_ids: promoterCampaignIds });
}

/** The address of a visited page contains the promoter's ref token, and may be a page of their own. */
async function eraseVisits(store: Store, accountId: number, promoterCampaignIds: Set<number>): Promise<void> {
  for await (const chunk of store.scan(visitors, "id", accountId, [])) {
    for (const { tid, promoter_campaign_id } of chunk) {
      if (!promoterCampaignIds.has(promoter_campaign_id)) continue;
      await store.transact(async (tx) => {
        const visitor = await tx.get(visitors, accountId, tid);
        if (visitor !== null) await tx.put(visitors, { ...visitor, url: null, referrer: null, sub_id: null });
      });
    }
  }
}

/** Promoters choose the names of their channels. */
async function eraseChannels(store: Store, accountId: number, id: number): Promise<void> {
  for (const index of ["promoter", "archived"] as const) {
    for await (const chunk of store.scan(leads, index, accountId, [id])) {
      for (const lead of chunk.filter(({ sub_id }) => sub_id !== null)) {
        await store.transact(async (tx) => {
          const current = await tx.get(leads, accountId, lead.id);
          if (current !== null) await tx.put(leads, { ...current, sub_id: null });
        });
      }
    }
  }
}

/** A waiting sale has the notes of its commissions. The rest of it is the lead's. */
async function eraseWaitingNotes(store: Store, accountId: number, id: number): Promise<void> {
  for await (const chunk of store.scan(waitingEvents, "id", accountId, [])) {
    for (const event of chunk) {
      if (event.kind !== "sale" || event.facts.notes === undefined) continue;
      await store.transact(async (tx) => {
        const current = await tx.get(waitingEvents, accountId, event.id);
        const lead = await tx.get(leads, accountId, event.lead_id);
        if (current?.kind !== "sale" || lead?.promoter_id !== id) return;
        await tx.put(waitingEvents, { ...current, facts: withoutNotes(current.facts) });
      });
    }
  }
}

/** Erases what is personal in the person's records of a table, of which there may be any number. */
async function eraseEach<R extends { account_id: number }, Listed extends string>(
  store: Store,
  from: Table<R, string, Listed>,
  { index, account_id, id }: { index: Listed; account_id: number; id: number },
): Promise<void> {
  const names = marked(from, "isPersonal") as (keyof R)[];
  for await (const chunk of store.scan(from, index, account_id, [id])) {
    for (const record of chunk.filter((each) => names.some((name) => (each[name] ?? null) !== null))) {
      await store.transact(async (tx) => {
        const current = await tx.get(from, account_id, ...keyOf(from, record));
        if (current !== null) await tx.put(from, withoutPersonal(from, current));
      });
    }
  }
}

async function announceDeletion(
  tx: Transaction,
  context: Context,
  { account_id, entity, entity_id }: UnfinishedErasure,
): Promise<void> {
  if (entity === "promoter") {
    const before = await tx.get(promoters, account_id, entity_id);
    if (before === null) return;
    await tx.put(promoters, before);
    return announce(tx, context, { entity, before, after: null });
  }
  const before = await tx.get(leads, account_id, entity_id);
  if (before === null) return;
  await tx.put(leads, before);
  return announce(tx, context, { entity, before, after: null });
}

async function leadIdsOf(view: View, accountId: number, who: string): Promise<number[]> {
  if (!who.includes("@")) {
    const id = /^\d{1,15}$/.test(who) ? Number(who) : 0;
    return (await view.get(leads, accountId, id)) === null ? [] : [id];
  }
  const known = await findLeadByEmail(view, accountId, who);
  const proposed = await listProposals(view, accountId, who);
  const archived = await listArchived(view, accountId, who);
  return [known, ...archived, ...proposed].flatMap((lead) => (lead === null ? [] : [lead.id]));
}

function noLead(): Failure {
  return new Failure("not_found", "Lead not found.");
}

/** Removes a lead's visitor, those of the browser's earlier links, and the network address at which the lead's was seen. */
async function forgetVisitor(tx: Transaction, { account_id, tid, promoter_id }: Lead): Promise<void> {
  const visitor = tid === null ? null : await tx.get(visitors, account_id, tid);
  if (visitor === null) return;
  for (const each of await visitorsOfBrowser(tx, visitor)) await removeVisitor(tx, each);
  if (!visitor.address_hash) return;
  const seen = await tx.get(promoterAddresses, account_id, promoter_id, visitor.address_hash);
  if (seen?.is_own === false)
    await tx.remove(promoterAddresses, account_id, promoter_id, visitor.address_hash);
}

/** A lead's record without personal data. */
function erasedLead(tx: Transaction, lead: Lead): Promise<Lead> {
  const { is_proposal: _proposal, ...kept } = withoutPersonal(leads, lead);
  return withErasedEmail<Lead>(tx, leads, {
    ...kept,
    // There is no longer a person to approve, and the promoter must not describe them again.
    state: isProposed(lead) ? "denied" : lead.state,
    skip_email_notification: true,
  });
}

function restOf({ account_id, id }: Lead): UnfinishedErasure {
  return { account_id, entity: "referral", entity_id: id, promoter_campaign_ids: [] };
}
