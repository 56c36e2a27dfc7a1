import type { Transaction } from "../../../storage/store.ts";
import { integer, table, time, type RowOf } from "../../../storage/table.ts";
import { servedAccounts, type Account } from "../../program/account/account.ts";
import { campaigns } from "../../program/campaign/campaign.ts";
import { promoterCampaigns } from "../promoter-campaign/promoter-campaign.ts";
import { promoters } from "../promoter/promoter.ts";
import type { MailingRun } from "./broadcast.ts";
import { enqueueEmail, reasonAgainst } from "./mailing.ts";

const HOUR_MS = 60 * 60 * 1_000;
/** Of how many new leads in an hour a promoter gets an e-mail each. */
const TOLD_EACH = 5;

const fields = {
  promoter_campaign_id: integer(),
  began_at: time(),
  count: integer(),
};

/** The new leads of a promoter campaign within an hour, from the first that its promoter was told of. */
type LeadHour = RowOf<typeof fields>;

export const leadHours = table("lead-hour", fields, {
  key: ["promoter_campaign_id"],
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
  { account_id, promoter_campaign_id, now }: { account_id: number; promoter_campaign_id: number; now: Date },
): Promise<boolean> {
  const known = await tx.get(leadHours, account_id, promoter_campaign_id);
  const isWaiting = known !== null && known.count > TOLD_EACH;
  const goesOn = known !== null && (isWaiting || !isOver(known, now));
  const hour = goesOn ? known : { account_id, promoter_campaign_id, began_at: now.toISOString(), count: 0 };
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
async function isTold({ store, clock, guard, public_url }: MailingRun, account: Account): Promise<boolean> {
  const now = clock();
  const first = await store.page(leadHours, "began", account.id, [], { limit: TOGETHER });
  const over = first.filter((hour) => isOver(hour, now));
  if (over.length === 0) return false;
  const ids = await Promise.all(over.map(() => store.nextId("delivery")));
  await store.transact(async (tx) => {
    await guard(tx);
    for (const [index, { promoter_campaign_id }] of over.entries()) {
      const hour = await tx.get(leadHours, account.id, promoter_campaign_id);
      if (hour === null || !isOver(hour, now)) continue;
      await tx.remove(leadHours, account.id, promoter_campaign_id);
      if (hour.count > TOLD_EACH) await tell(tx, { account, hour, public_url, id: ids[index]!, now });
    }
  });
  return over.length === TOGETHER;
}

interface Telling {
  account: Account;
  hour: LeadHour;
  public_url: string;
  id: number;
  now: Date;
}

/**
 * Puts the e-mail into the outbox, unless the campaign or the promoter no longer wants e-mails on new leads, or the promoter was
 * blocked since.
 */
async function tell(tx: Transaction, { account, hour, public_url, id, now }: Telling): Promise<void> {
  const promoterCampaign = await tx.get(promoterCampaigns, account.id, hour.promoter_campaign_id);
  if (promoterCampaign?.state !== "accepted") return;
  const promoter = await tx.get(promoters, account.id, promoterCampaign.promoter_id);
  const campaign = await tx.get(campaigns, account.id, promoterCampaign.campaign_id);
  if (promoter === null || campaign?.emails.includes("new_referral") !== true) return;
  if ((await reasonAgainst(tx, promoter, "new_referral")) !== null) return;
  const addressee = { account, campaign, promoter, promoterCampaign, public_url };
  const values = { count: String(hour.count - TOLD_EACH) };
  await enqueueEmail(tx, addressee, { kind: "new_referrals", id, now, values });
}

const isOver = ({ began_at }: LeadHour, now: Date): boolean =>
  now.getTime() - Date.parse(began_at) >= HOUR_MS;
