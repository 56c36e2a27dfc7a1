import type { Transaction } from "../../../storage/store.ts";
import { table } from "../../../storage/table.ts";
import { servedAccounts, type Account } from "../../program/account/account.ts";
import { campaigns } from "../../program/campaign/campaign.ts";
import { promoterCampaigns } from "../promoter-campaign/promoter-campaign.ts";
import { promoters } from "../promoter/promoter.ts";
import type { MailingRun } from "./broadcast.ts";
import { enqueueEmail, reasonAgainst } from "./mailing.ts";

const HOUR_MS = 60 * 60 * 1_000;
/** Of how many new leads in an hour a promoter gets an e-mail each. */
const TOLD_EACH = 5;

/** The new leads of a promoter campaign within an hour, from the first that its promoter was told of. */
interface LeadHour {
  accountId: number;
  promoterCampaignId: number;
  beganAt: string;
  count: number;
}

export const leadHours = table<LeadHour>()({
  name: "lead-hour",
  key: ["promoter_campaign_id"],
  columns: { promoter_campaign_id: "integer", began_at: "text" },
  indexes: { began: { on: ["began_at"] } },
});

/**
 * Counts a new lead that its promoter is to be told of. Returns whether this lead gets e-mails of its own. The others of the
 * hour are told together, when it is over.
 *
 * @see docs/spec/events.md "E-mails"
 */
export async function countNewLead(
  tx: Transaction,
  { accountId, promoterCampaignId, now }: { accountId: number; promoterCampaignId: number; now: Date },
): Promise<boolean> {
  const known = await tx.get(leadHours, accountId, promoterCampaignId);
  const isWaiting = known !== null && known.count > TOLD_EACH;
  const goesOn = known !== null && (isWaiting || !isOver(known, now));
  const hour = goesOn ? known : { accountId, promoterCampaignId, beganAt: now.toISOString(), count: 0 };
  const count = hour.count + 1;
  await tx.put(leadHours, { ...hour, count });
  return count <= TOLD_EACH;
}

/** The hours of one commit. */
const TOGETHER = 50;

/** Tells promoters of the leads that got no e-mail of their own, once their hour is over. */
export async function* sendDigests(run: MailingRun): AsyncGenerator<void> {
  for await (const account of servedAccounts(run.store)) {
    while (await isTold(run, account)) yield;
  }
}

/** Returns whether there may be more. */
async function isTold({ store, clock, guard, publicUrl }: MailingRun, account: Account): Promise<boolean> {
  const now = clock();
  const first = await store.page(leadHours, "began", account.id, [], { limit: TOGETHER });
  const over = first.filter((hour) => isOver(hour, now));
  if (over.length === 0) return false;
  const ids = await Promise.all(over.map(() => store.nextId("delivery")));
  await store.transact(async (tx) => {
    await guard(tx);
    for (const [index, { promoterCampaignId }] of over.entries()) {
      const hour = await tx.get(leadHours, account.id, promoterCampaignId);
      if (hour === null || !isOver(hour, now)) continue;
      await tx.remove(leadHours, account.id, promoterCampaignId);
      if (hour.count > TOLD_EACH) await tell(tx, { account, hour, publicUrl, id: ids[index]!, now });
    }
  });
  return over.length === TOGETHER;
}

interface Telling {
  account: Account;
  hour: LeadHour;
  publicUrl: string;
  id: number;
  now: Date;
}

/**
 * Puts the e-mail into the outbox, unless the campaign or the promoter no longer wants e-mails on new leads, or the promoter was
 * blocked since.
 */
async function tell(tx: Transaction, { account, hour, publicUrl, id, now }: Telling): Promise<void> {
  const promoterCampaign = await tx.get(promoterCampaigns, account.id, hour.promoterCampaignId);
  if (promoterCampaign?.state !== "accepted") return;
  const promoter = await tx.get(promoters, account.id, promoterCampaign.promoterId);
  const campaign = await tx.get(campaigns, account.id, promoterCampaign.campaignId);
  if (promoter === null || campaign?.emails.includes("new_referral") !== true) return;
  if ((await reasonAgainst(tx, promoter, "new_referral")) !== null) return;
  const addressee = { account, campaign, promoter, promoterCampaign, publicUrl };
  const values = { count: String(hour.count - TOLD_EACH) };
  await enqueueEmail(tx, addressee, { kind: "new_referrals", id, now, values });
}

const isOver = ({ beganAt }: LeadHour, now: Date): boolean => now.getTime() - Date.parse(beganAt) >= HOUR_MS;
