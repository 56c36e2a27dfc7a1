import { Failure } from "../failure.ts";
import type { Account, Commission, CommissionStatus, Lead, Unit } from "../records.ts";
import { collection } from "../storage/collection.ts";
import { digest } from "../storage/keys.ts";
import type { Transaction } from "../storage/store.ts";
import { addToBalance } from "./balance.ts";
import { commissions } from "./commission.ts";
import type { Context } from "./context.ts";
import { findKnownLead } from "./lead.ts";
import { loadOwner, type Imported, type PromoterName } from "./lead-import.ts";
import { countFact } from "./stats.ts";

/** A commission of another program. null: not known. */
export interface ImportedCommission extends PromoterName {
  /** What tells it from all others there, so that it is taken over once. */
  source: string;
  leadEmail: string | null;
  leadUid: string | null;
  unit: Unit;
  /** In cents for `cash`, else in whole units. */
  amount: number;
  status: CommissionStatus;
  /** Whether the other program has paid it. */
  isPaid: boolean;
  saleCents: number;
  eventId: string | null;
  createdAt: Date | null;
}

/** That a commission of another program was taken over. */
const importedCommissions = collection<{ accountId: number; sourceHash: string; commissionId: number }>()({
  name: "imported-commission",
  id: ({ sourceHash }) => [sourceHash],
  claims: {},
  indexes: {},
});

/**
 * Takes over a commission of another program, once, with the promoter's balance and counters. One that
 * was paid there counts as paid, without a payout here.
 *
 * @throws Failure `missing`, or `not_found` for an unknown lead or promoter
 */
export async function importCommission(
  context: Context,
  account: Account,
  input: ImportedCommission,
): Promise<Imported> {
  const { store, now } = context;
  const id = await store.nextId("commission");
  const sourceHash = digest(input.source);
  return store.transact(async (tx) => {
    if (await tx.get(importedCommissions, account.id, sourceHash)) return "known";
    const lead = await loadNamedLead(tx, account.id, input);
    const owner = lead !== null && isNameless(input) ? ownerOf(lead) : await loadOwner(tx, account.id, input);
    const commission: Commission = {
      accountId: account.id,
      id,
      promoterCampaignId: owner.id,
      promoterId: owner.promoterId,
      campaignId: owner.campaignId,
      leadId: lead?.id ?? null,
      status: input.status,
      unit: input.unit,
      amount: input.amount,
      eventId: input.eventId,
      conversionCents: input.saleCents,
      tierLevel: 1,
      createdAt: (input.createdAt ?? now).toISOString(),
    };
    await tx.insert(commissions, commission);
    await tx.put(importedCommissions, { accountId: account.id, sourceHash, commissionId: id });
    await countCommission(tx, commission, input.isPaid);
    return "added";
  });
}

async function countCommission(tx: Transaction, commission: Commission, isPaid: boolean): Promise<void> {
  const { unit, amount, conversionCents } = commission;
  const participation = { ...commission, id: commission.promoterCampaignId };
  const at = new Date(commission.createdAt);
  if (conversionCents > 0) {
    countFact(tx, participation, { metric: "sales", at });
    countFact(tx, participation, { metric: "salesCents", at, delta: conversionCents });
  }
  if (commission.status !== "approved") return;
  await addToBalance(tx, commission, {
    unit,
    earnings: amount,
    current: isPaid ? 0 : amount,
    paid: isPaid ? amount : 0,
  });
  if (unit === "cash") countFact(tx, participation, { metric: "earningsCents", at, delta: amount });
  if (unit === "cash" && isPaid) countFact(tx, participation, { metric: "paidCents", at, delta: amount });
}

async function loadNamedLead(
  tx: Transaction,
  accountId: number,
  { leadEmail: email, leadUid: uid }: ImportedCommission,
): Promise<Lead | null> {
  if (email === null && uid === null) return null;
  const nothing = { username: null, firstName: null, lastName: null, website: null };
  const details = { email, uid, ...nothing, customFields: null, subId: null };
  const lead = await findKnownLead(tx, accountId, details);
  if (lead === null) throw new Failure("not_found", "the lead was not found");
  return lead;
}

function isNameless({ refToken, promoterEmail }: PromoterName): boolean {
  return refToken === null && promoterEmail === null;
}

function ownerOf({ promoterCampaignId, promoterId, campaignId }: Lead) {
  return { id: promoterCampaignId, promoterId, campaignId };
}
