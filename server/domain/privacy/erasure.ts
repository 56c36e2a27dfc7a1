import { Failure } from "../../failure.ts";
import { keyOf } from "../../storage/sql.ts";
import type { Store, Transaction, View } from "../../storage/store.ts";
import { servedAccounts } from "../program/account/account.ts";
import { withoutLog } from "../access/audit/audited-store.ts";
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
import {
  forgetMailboxes,
  loadPromoter,
  newProfile,
  promoters,
  type Promoter,
} from "../people/promoter/promoter.ts";
import { loadSelected } from "../people/promoter/search.ts";
import { forgetMailings } from "../people/mailing/mailing.ts";
import { removeOwnLinks } from "../people/referral-link.ts";
import { eraseWaiting } from "../ledger/sale/waiting.ts";
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
    await tx.put(promoters, after);
    await logErasure(tx, context, { accountId, entity: "promoter", id });
    const promoterCampaignIds = await erasePromoterCampaigns(tx, context, promoter);
    for (const method of await tx.view.list(payoutMethods, "promoter", accountId, [id]))
      await tx.put(payoutMethods, { ...method, details: {}, meta: {}, isDisabled: true });
    await tx.remove(payoutHolds, accountId, id);
    await forgetMailings(tx, { accountId, id });
    await eraseDocuments(tx, promoter);
    await leaveStripeAccount(tx, context, { accountId, promoterId: id });
    await tx.remove(taxDetails, accountId, id);
    await forgetSourceTexts(tx, accountId, { kind: "promoter", recordId: id });
    await forgetMigrationTexts(tx, accountId);
    for (const seen of await tx.view.list(promoterAddresses, "id", accountId, [id]))
      await tx.remove(promoterAddresses, accountId, ...keyOf(promoterAddresses, seen));
    const rest = { accountId, entity: "promoter" as const, entityId: id, promoterCampaignIds };
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
      await forgetSourceTexts(tx, accountId, { kind: "customer", recordId: id });
      await logErasure(tx, context, { accountId, entity: "referral", id });
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
  const {
    passwordHash: _password,
    isUnconfirmed: _unconfirmed,
    visit: _visit,
    vatCheck: _vatCheck,
    ...kept
  } = promoter;
  return withErasedEmail(tx, promoters, {
    ...kept,
    custId: null,
    note: null,
    tempPasswordHash: null,
    authToken: chance.token(AUTH_TOKEN_LENGTH),
    profile: newProfile({}),
    customFields: null,
    fraudSuspicions: [],
    skipEmailNotification: true,
    lastLoginAt: null,
    archivedAt: promoter.archivedAt ?? now.toISOString(),
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
  const { accountId } = promoter;
  const joined = await lockPromoterCampaigns(tx, promoter);
  for (const former of joined) {
    const { moreRefTokens: _tokens, ...promoterCampaign } = former;
    const { id } = promoterCampaign;
    // Derived tokens never have this form, so it is free.
    const refToken = `erased-${id}-${context.chance.digits(10)}`;
    await erasePromoCodes(tx, context, { accountId, promoterCampaignId: id });
    await removeOwnLinks(tx, promoterCampaign);
    await forgetRefTokens(tx, former);
    await tx.put(refTokens, { accountId, token: refToken, promoterCampaignId: id });
    await tx.remove(archivedStates, accountId, id);
    await tx.put(promoterCampaigns, {
      ...promoterCampaign,
      state: "blocked",
      refToken,
      coupon: null,
      displayCoupon: null,
      landingUrl: null,
      usesUrlTracking: false,
    });
  }
  return joined.map(({ id }) => id);
}

async function erasePromoCodes(
  tx: Transaction,
  { now }: Context,
  { accountId, promoterCampaignId }: { accountId: number; promoterCampaignId: number },
): Promise<void> {
  for (const promoCode of await tx.view.list(promoCodes, "promoterCampaign", accountId, [
    promoterCampaignId,
  ])) {
    await tx.put(promoCodes, {
      ...promoCode,
      code: `erased-${promoCode.id}`,
      extId: null,
      description: null,
      metadata: null,
      details: null,
      archivedAt: promoCode.archivedAt ?? now.toISOString(),
    });
  }
}

/** Does the work after the first commit of an erasure. Each step may be repeated. */
async function finishErasure(context: Context, rest: UnfinishedErasure): Promise<void> {
  const { accountId, entity, entityId } = rest;
  const { store } = context;
  if (entity === "promoter") await eraseTraces(context, rest);
  else {
    await eraseNotes(store, accountId, { index: "lead", id: entityId });
    await eraseAuditEntries(store, { accountId, leadId: entityId });
    await eraseEvents(context, { accountId, leadId: entityId });
  }
  await store.transact(async (tx) => {
    // Another process may have been faster.
    if ((await tx.get(unfinishedErasures, accountId, entity, entityId)) === null) return;
    await tx.remove(unfinishedErasures, accountId, entity, entityId);
    await announceDeletion(tx, context, rest);
  });
}

async function eraseTraces(context: Context, { accountId, entityId: id, ...rest }: UnfinishedErasure) {
  const { store } = context;
  const promoterCampaignIds = new Set(rest.promoterCampaignIds);
  await eraseVisits(store, accountId, promoterCampaignIds);
  await forgetOrigins(store, accountId, id);
  await eraseChannels(store, accountId, id);
  await forgetSubIds(store, accountId, promoterCampaignIds);
  await erasePayoutErrors(store, accountId, id);
  await eraseNotes(store, accountId, { index: "noted", id });
  await eraseAuditEntries(store, { accountId, promoterId: id, promoterCampaignIds });
  await eraseEvents(context, { accountId, promoterId: id, promoterCampaignIds });
}

/** The address of a visited page contains the promoter's ref token, and may be a page of their own. */
async function eraseVisits(store: Store, accountId: number, promoterCampaignIds: Set<number>): Promise<void> {
  for await (const chunk of store.scan(visitors, "id", accountId, [])) {
    for (const { tid, promoterCampaignId } of chunk) {
      if (!promoterCampaignIds.has(promoterCampaignId)) continue;
      await store.transact(async (tx) => {
        const visitor = await tx.get(visitors, accountId, tid);
        if (visitor !== null) await tx.put(visitors, { ...visitor, url: null, referrer: null, subId: null });
      });
    }
  }
}

/** Promoters choose the names of their channels. */
async function eraseChannels(store: Store, accountId: number, id: number): Promise<void> {
  for (const index of ["promoter", "archived"] as const) {
    for await (const chunk of store.scan(leads, index, accountId, [id])) {
      for (const lead of chunk.filter(({ subId }) => subId !== null)) {
        await store.transact(async (tx) => {
          const current = await tx.get(leads, accountId, lead.id);
          if (current !== null) await tx.put(leads, { ...current, subId: null });
        });
      }
    }
  }
}

/**
 * Errors from banks may contain names and account numbers, and so may the reason why a person must decide.
 */
async function erasePayoutErrors(store: Store, accountId: number, id: number): Promise<void> {
  for await (const chunk of store.scan(payouts, "promoter", accountId, [id])) {
    for (const payout of chunk.filter(({ error }) => error !== null)) {
      await store.transact(async (tx) => {
        const current = await tx.get(payouts, accountId, payout.id);
        if (current !== null) await tx.put(payouts, { ...current, error: "erased" });
      });
    }
  }
  for await (const chunk of store.scan(payments, "promoter", accountId, [id])) {
    for (const payment of chunk.filter(({ error, review }) => error !== null || review !== null)) {
      await store.transact(async (tx) => {
        const current = await tx.get(payments, accountId, payment.id);
        if (current === null) return;
        const error = current.error === null ? null : "erased";
        const review = current.review && { ...current.review, reason: "erased" };
        await tx.put(payments, { ...current, error, review });
      });
    }
  }
}

/** Notes on commissions are free text. */
async function eraseNotes(
  store: Store,
  accountId: number,
  { index, id }: { index: "noted" | "lead"; id: number },
): Promise<void> {
  for await (const chunk of store.scan(commissions, index, accountId, [id])) {
    for (const noted of chunk.filter(({ internalNote, externalNote }) => internalNote ?? externalNote)) {
      await store.transact(async (tx) => {
        const current = await tx.get(commissions, accountId, noted.id);
        if (current !== null)
          await tx.put(commissions, { ...current, internalNote: null, externalNote: null });
      });
    }
  }
}

async function announceDeletion(
  tx: Transaction,
  context: Context,
  { accountId, entity, entityId }: UnfinishedErasure,
): Promise<void> {
  if (entity === "promoter") {
    const before = await tx.get(promoters, accountId, entityId);
    if (before === null) return;
    await tx.put(promoters, before);
    return announce(tx, context, { entity, before, after: null });
  }
  const before = await tx.get(leads, accountId, entityId);
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
async function forgetVisitor(tx: Transaction, { accountId, tid, promoterId }: Lead): Promise<void> {
  const visitor = tid === null ? null : await tx.get(visitors, accountId, tid);
  if (visitor === null) return;
  for (const each of await visitorsOfBrowser(tx, visitor)) await removeVisitor(tx, each);
  if (!visitor.addressHash) return;
  const seen = await tx.get(promoterAddresses, accountId, promoterId, visitor.addressHash);
  if (seen?.isOwn === false) await tx.remove(promoterAddresses, accountId, promoterId, visitor.addressHash);
}

/** A lead's record without personal data. */
function erasedLead(tx: Transaction, lead: Lead): Promise<Lead> {
  const { isProposal: _proposal, ...kept } = lead;
  return withErasedEmail<Lead>(tx, leads, {
    ...kept,
    // There is no longer a person to approve, and the promoter must not describe them again.
    state: isProposed(lead) ? "denied" : lead.state,
    uid: null,
    username: null,
    firstName: null,
    lastName: null,
    website: null,
    comment: undefined,
    customFields: null,
    tid: null,
    subId: null,
    subscriptionId: null,
    subscriptions: undefined,
    skipEmailNotification: true,
  });
}

function restOf({ accountId, id }: Lead): UnfinishedErasure {
  return { accountId, entity: "referral", entityId: id, promoterCampaignIds: [] };
}
