import type { Transaction } from "../../../storage/store.ts";
import { servedAccounts, type Account } from "../../program/account/account.ts";
import { campaigns } from "../../program/campaign/campaign.ts";
import {
  companyEmails,
  isForCampaign,
  type CompanyEmail,
} from "../../program/company-email/company-email.ts";
import { promoterCampaigns, type PromoterCampaign } from "../promoter-campaign/promoter-campaign.ts";
import { promoters } from "../promoter/promoter.ts";
import type { MailingRun } from "./broadcast.ts";
import { enqueueOwnEmail, plannedEmails, reasonAgainst, topicOf, type PlannedEmail } from "./mailing.ts";

/** The e-mails of one commit. */
const TOGETHER = 50;

/** Puts planned e-mails that are due into the outbox. Each leaves the plan in the same commit, so it is sent once. */
export async function* releasePlanned(run: MailingRun): AsyncGenerator<void> {
  for await (const account of servedAccounts(run.store)) {
    while (await isReleased(run, account)) yield;
  }
}

/** Returns whether there may be more. */
async function isReleased(run: MailingRun, account: Account): Promise<boolean> {
  const { store, clock, guard } = run;
  const first = await store.page(plannedEmails, "due", account.id, [], { limit: TOGETHER });
  const now = clock();
  const due = first.filter(({ dueAt }) => Date.parse(dueAt) <= now.getTime());
  if (due.length === 0) return false;
  const ids = await Promise.all(due.map(() => store.nextId("delivery")));
  await store.transact(async (tx) => {
    await guard(tx);
    for (const [index, { id }] of due.entries()) {
      const planned = await tx.get(plannedEmails, account.id, id);
      if (planned === null) continue;
      await tx.remove(plannedEmails, account.id, id);
      await release(tx, run, { account, planned, id: ids[index]!, now });
    }
  });
  return due.length === TOGETHER;
}

interface Release {
  account: Account;
  planned: PlannedEmail;
  id: number;
  now: Date;
}

/** What has changed since the trigger counts: an e-mail that is off by now, or that the promoter no longer wants, is dropped. */
async function release(
  tx: Transaction,
  { publicUrl }: MailingRun,
  { account, planned, id, now }: Release,
): Promise<void> {
  const email = await tx.get(companyEmails, account.id, planned.companyEmailId);
  const promoter = await tx.get(promoters, account.id, planned.promoterId);
  const promoterCampaign = await tx.get(promoterCampaigns, account.id, planned.promoterCampaignId);
  if (email === null || promoter === null || promoterCampaign === null) return;
  const campaign = await tx.get(campaigns, account.id, promoterCampaign.campaignId);
  if (campaign === null || !email.isEnabled || !isStillFor(email, promoterCampaign)) return;
  if ((await reasonAgainst(tx, promoter, topicOf(email.triggerOn))) !== null) return;
  const { values } = planned;
  await enqueueOwnEmail(
    tx,
    { account, campaign, promoter, promoterCampaign, publicUrl },
    { email, id, now, values },
  );
}

/** A promoter who was blocked since is told nothing more. */
function isStillFor(email: CompanyEmail, { state, campaignId }: PromoterCampaign): boolean {
  const wanted = email.triggerOn === "promoter_rejected" ? "rejected" : "accepted";
  return state === wanted && isForCampaign(email, campaignId);
}
