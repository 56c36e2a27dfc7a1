import { Failure } from "../../failure.ts";
import type { Lead } from "../lead/record.ts";
import type { Promoter } from "../promoter/record.ts";
import type { Store } from "../../storage/store.ts";
import { commissions } from "../commission/commission.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import { findLeadByEmail, leads, listArchived, listProposals } from "../lead/lead.ts";
import { withoutLog } from "../audit/audited-store.ts";
import { eraseAuditEntries, logErasure } from "./audit.ts";
import { eraseEvents } from "./events.ts";
import { erasedLead, forgetVisitor } from "./lead.ts";
import { forgetOrigins } from "./origins.ts";
import { forgetSubIds } from "../origin/sub-id.ts";
import { erasedPromoter, erasePromoterCampaigns } from "./promoter.ts";
import { forgetMailboxes } from "../promoter/mailbox.ts";
import { loadOwnedRecords } from "../../storage/transaction/owned-records.ts";
import { payoutMethods } from "../payout-method/payout-method.ts";
import { payouts } from "../payout/payout.ts";
import { loadSelected } from "../promoter/selection.ts";
import { promoters } from "../promoter/promoter.ts";
import { eraseWaiting } from "../sale/waiting.ts";
import { promoterAddresses } from "../lead/suspicion.ts";
import { visitors } from "../visitor/visitor.ts";

/**
 * Erases everything personal about a promoter. Earnings and payouts stay with their ids, because accounts must be
 * kept. Their leads stay too, because they are other people.
 *
 * What belongs to the promoter alone changes in one commit, which also closes their links. From then on nothing
 * personal can be added. Visits, payouts and events follow one by one, because there may be any number. After a
 * fault, run it again by id.
 *
 * Choice: receivers of events about the person get a deletion event.
 *
 * @throws Failure `not_found`
 */
export async function erasePromoter(given: Context, accountId: number, who: string): Promise<Promoter> {
  const context = withoutLog(given);
  const { store } = context;
  const by = who.includes("@") ? "email" : "id";
  const erased = await store.transact(async (tx) => {
    const { promoter } = await loadSelected(tx, accountId, { by, value: who });
    const after = await erasedPromoter(tx, context, promoter);
    await forgetMailboxes(tx, store, promoter);
    await tx.put(promoters, after);
    await logErasure(tx, context, { accountId, entity: "promoter", id: promoter.id });
    const promoterCampaignIds = await erasePromoterCampaigns(tx, context, promoter);
    const own = { accountId, ownerId: promoter.id };
    for (const method of await loadOwnedRecords([tx, store], payoutMethods, { ...own, index: "promoter" }))
      await tx.put(payoutMethods, { ...method, details: {}, meta: {}, isDisabled: true });
    for (const seen of await loadOwnedRecords([tx, store], promoterAddresses, { ...own, index: "id" }))
      await tx.remove(promoterAddresses, accountId, ...promoterAddresses.id(seen));
    return { promoter: after, promoterCampaignIds: new Set(promoterCampaignIds) };
  });
  await eraseVisits(store, accountId, erased.promoterCampaignIds);
  await forgetOrigins(store, accountId, erased.promoter.id);
  await eraseChannels(store, erased.promoter);
  await forgetSubIds(store, accountId, erased.promoterCampaignIds);
  await erasePayoutErrors(store, erased.promoter);
  await eraseNotes(store, accountId, { index: "promoter", id: erased.promoter.id });
  const { promoterCampaignIds } = erased;
  await eraseAuditEntries(store, { accountId, promoterId: erased.promoter.id, promoterCampaignIds });
  await eraseEvents(context, { accountId, promoterId: erased.promoter.id, promoterCampaignIds });
  await store.transact(async (tx) => {
    const before = await tx.get(promoters, accountId, erased.promoter.id);
    if (before === null) return;
    await tx.put(promoters, before);
    await announce(tx, context, { entity: "promoter", before, after: null });
  });
  return erased.promoter;
}

/**
 * Erases everything personal about a lead. The record stays without a name, with its dates and state, because counts
 * and commissions depend on it. Receivers get a deletion event, as for a promoter.
 *
 * An e-mail address names a person, so what promoters have proposed about them is erased with it.
 *
 * @returns the lead, or if there is none the first proposal
 * @throws Failure `not_found`
 */
export async function eraseLead(given: Context, accountId: number, who: string): Promise<Lead> {
  const context = withoutLog(given);
  const [first, ...others] = await leadIdsOf(context.store, accountId, who);
  if (first === undefined) throw new Failure("not_found", "Lead not found.");
  const erased = await eraseRecord(context, accountId, first);
  for (const id of others) await eraseRecord(context, accountId, id);
  return erased;
}

async function leadIdsOf(store: Store, accountId: number, who: string): Promise<number[]> {
  if (!who.includes("@")) return /^\d{1,15}$/.test(who) ? [Number(who)] : [];
  const known = await findLeadByEmail(store, accountId, who);
  const proposed = await listProposals(store, accountId, who);
  const archived = await listArchived(store, accountId, who);
  return [known, ...archived, ...proposed].flatMap((lead) => (lead === null ? [] : [lead.id]));
}

async function eraseRecord(context: Context, accountId: number, id: number): Promise<Lead> {
  const { store } = context;
  const erased = await store.transact(async (tx) => {
    const lead = await tx.get(leads, accountId, id);
    if (lead === null) throw new Failure("not_found", "Lead not found.");
    await forgetVisitor(tx, lead);
    await eraseWaiting(tx, lead);
    const after = await erasedLead(tx, lead);
    await tx.put(leads, after);
    await logErasure(tx, context, { accountId, entity: "referral", id: lead.id });
    return after;
  });
  await eraseNotes(store, accountId, { index: "lead", id: erased.id });
  await eraseAuditEntries(store, { accountId, leadId: erased.id });
  await eraseEvents(context, { accountId, leadId: erased.id });
  await store.transact(async (tx) => {
    const before = await tx.get(leads, accountId, erased.id);
    if (before === null) return;
    await tx.put(leads, before);
    await announce(tx, context, { entity: "referral", before, after: null });
  });
  return erased;
}

/** The address of a visited page holds the promoter's ref token, and may be a page of their own. */
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

/** Promoters name their channels themselves. */
async function eraseChannels(store: Store, { accountId, id }: Promoter): Promise<void> {
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

/** Errors from banks may hold names and account numbers. */
async function erasePayoutErrors(store: Store, { accountId, id }: Promoter): Promise<void> {
  for await (const chunk of store.scan(payouts, "promoter", accountId, [id])) {
    for (const payout of chunk.filter(({ error }) => error !== null)) {
      await store.transact(async (tx) => {
        const current = await tx.get(payouts, accountId, payout.id);
        if (current !== null) await tx.put(payouts, { ...current, error: "erased" });
      });
    }
  }
}

/** Companies write what they like into the notes on commissions. */
async function eraseNotes(
  store: Store,
  accountId: number,
  { index, id }: { index: "promoter" | "lead"; id: number },
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
