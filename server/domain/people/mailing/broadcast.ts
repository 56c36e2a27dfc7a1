import { sql } from "kysely";
import { Failure } from "../../../failure.ts";
import { among, type Schema } from "../../../storage/query.ts";
import type { Store, Transaction, View } from "../../../storage/store.ts";
import { batchProcesses, type BatchProcess } from "../../batch.ts";
import type { Context } from "../../context.ts";
import { emailRuns, type EmailRun } from "../../email-run.ts";
import { servedAccounts, type Account } from "../../program/account/account.ts";
import { campaigns } from "../../program/campaign/campaign.ts";
import {
  companyEmails,
  loadCompanyEmail,
  type CompanyEmail,
} from "../../program/company-email/company-email.ts";
import { promoterCampaigns } from "../promoter-campaign/promoter-campaign.ts";
import { promoters } from "../promoter/promoter.ts";
import { enqueueOwnEmail, findAddressed, reasonAgainst, sentEmails, topicOf } from "./mailing.ts";
import { latestDue } from "./recurrence.ts";

/** The promoters of one commit. */
const TOGETHER = 100;
/** How many left-out promoters are stored with their reasons. */
const MOST_REASONS = 1_000;

/** What the jobs of e-mails work with. */
export interface MailingRun {
  store: Store;
  clock: () => Date;
  /** Fails if another process has taken over. */
  guard: (tx: Transaction) => Promise<void>;
  publicUrl: string;
}

/**
 * Begins to send a broadcast to all promoters of its campaigns. Each gets it once, even if this is repeated: only new ones
 * get it then. A job sends it.
 *
 * @throws Failure `not_found`, `refused` for an e-mail with another trigger, or one that is being sent
 */
export async function startBroadcast(
  { store, now }: Context,
  accountId: number,
  emailId: number,
): Promise<BatchProcess> {
  const id = await store.nextId("batch-process");
  return store.transact(async (tx) => {
    const email = await loadCompanyEmail(tx, accountId, emailId);
    if (email.triggerOn !== "broadcast") {
      throw new Failure("refused", "Only an e-mail with the trigger broadcast can be sent now.");
    }
    return startRun(tx, { email, id, now });
  });
}

async function startRun(
  tx: Transaction,
  { email, id, now }: { email: CompanyEmail; id: number; now: Date },
): Promise<BatchProcess> {
  const { accountId } = email;
  const at = now.toISOString();
  const [count] = await tx.view.rows(
    addressedBy(tx.view, email).select(
      sql<number>`count(distinct promoter_campaigns.promoter_id)`.as("total"),
    ),
  );
  const batch: BatchProcess = {
    accountId,
    id,
    label: "email/send",
    total: Number(count?.total ?? 0),
    processedCount: 0,
    errors: [],
    failedCount: 0,
    isUnderWay: true,
    meta: { email_id: email.id },
    createdAt: at,
    updatedAt: at,
  };
  const isBeingSent = () => new Failure("refused", "This e-mail is being sent.");
  await tx.insert(
    emailRuns,
    { accountId, id, emailId: email.id, afterPromoterId: 0, createdAt: at },
    { email: isBeingSent },
  );
  await tx.insert(batchProcesses, batch);
  return batch;
}

/** Starts recurring e-mails that are due, and continues all that are being sent. */
export async function* continueBroadcasts(run: MailingRun): AsyncGenerator<void> {
  const { store } = run;
  for await (const account of servedAccounts(store)) {
    await startRecurring(run, account);
    const started: EmailRun[] = await store.list(emailRuns, "id", account.id, []);
    for (const { id } of started) while (await isContinued(run, account, id)) yield;
  }
}

/** What was missed while no process ran is sent once. What was due before the last change is not made up. */
async function startRecurring({ store, clock, guard }: MailingRun, account: Account): Promise<void> {
  for (const { id } of await store.list(companyEmails, "trigger", account.id, ["recurring"])) {
    const batchId = await store.nextId("batch-process");
    await store.transact(async (tx) => {
      await guard(tx);
      const email = await tx.get(companyEmails, account.id, id);
      const now = clock();
      const dueAt = email?.isEnabled ? latestDue(email, account, now) : null;
      if (email === null || dueAt === null) return;
      const isDone = dueAt <= email.updatedAt || (email.ranAt !== null && dueAt <= email.ranAt);
      if (isDone || (await tx.find(emailRuns, "email", account.id, [id])) !== null) return;
      await tx.put(companyEmails, { ...email, ranAt: dueAt });
      await startRun(tx, { email, id: batchId, now });
    });
  }
}

/** Sends the next part of a run. Returns whether there may be more. */
async function isContinued(
  { store, clock, guard, publicUrl }: MailingRun,
  account: Account,
  id: number,
): Promise<boolean> {
  const ids: number[] = [];
  while (ids.length < TOGETHER) ids.push(await store.nextId("delivery"));
  return store.transact(async (tx) => {
    await guard(tx);
    const run = await tx.get(emailRuns, account.id, id);
    const batch = await tx.get(batchProcesses, account.id, id);
    if (run === null || batch === null) return false;
    const now = clock();
    const email = await tx.get(companyEmails, account.id, run.emailId);
    const chosen = email === null ? [] : await nextPromoters(tx.view, email, run.afterPromoterId);
    const progress = {
      ...batch,
      failedCount: batch.failedCount ?? 0,
      errors: [...batch.errors],
      updatedAt: now.toISOString(),
    };
    for (const [index, promoterId] of chosen.entries()) {
      const reason = await sendOne(tx, {
        email: email!,
        account,
        promoterId,
        run,
        now,
        publicUrl,
        id: ids[index]!,
      });
      if (reason === null) progress.processedCount += 1;
      else {
        progress.failedCount += 1;
        if (progress.errors.length < MOST_REASONS) progress.errors.push(`${promoterId}: ${reason}`);
      }
    }
    const isOver = chosen.length < TOGETHER;
    if (!isOver) {
      await tx.put(emailRuns, { ...run, afterPromoterId: chosen.at(-1)! });
      await tx.put(batchProcesses, progress);
      return true;
    }
    if (email === null) progress.errors.push("The e-mail was deleted");
    const { isUnderWay: _, ...completed } = progress;
    await tx.remove(emailRuns, account.id, id);
    await tx.put(batchProcesses, {
      ...completed,
      total: completed.processedCount + completed.failedCount,
    });
    return false;
  });
}

interface Sending {
  email: CompanyEmail;
  account: Account;
  promoterId: number;
  run: EmailRun;
  now: Date;
  publicUrl: string;
  id: number;
}

/** Sends a promoter the e-mail, and returns null, or why not. */
async function sendOne(tx: Transaction, sending: Sending): Promise<string | null> {
  const { email, account, promoterId, run, now, publicUrl, id } = sending;
  const sent = await tx.get(sentEmails, account.id, email.id, promoterId);
  const isRepeated = sent !== null && (email.triggerOn === "broadcast" || sent.at >= run.createdAt);
  if (isRepeated) return "has got it before";
  const promoter = await tx.get(promoters, account.id, promoterId);
  const reason = await reasonAgainst(tx, promoter, topicOf(email.triggerOn));
  if (promoter === null || reason !== null) return reason;
  const promoterCampaign = await findAddressed(tx.view, promoter, email);
  const campaign = promoterCampaign && (await tx.get(campaigns, account.id, promoterCampaign.campaignId));
  if (promoterCampaign === null || campaign === null) return "is accepted in none of its campaigns";
  await tx.put(sentEmails, {
    accountId: account.id,
    companyEmailId: email.id,
    promoterId,
    at: now.toISOString(),
  });
  await enqueueOwnEmail(tx, { account, campaign, promoter, promoterCampaign, publicUrl }, { email, id, now });
  return null;
}

type AddressedSchema = Schema<{ promoter_campaigns: typeof promoterCampaigns }>;

/** The promoter campaigns of an e-mail's promoters. */
export function addressedBy(view: View, { accountId, campaignIds }: CompanyEmail) {
  const accepted = view
    .query<AddressedSchema>()
    .selectFrom("promoter_campaigns")
    .where("promoter_campaigns.account_id", "=", accountId)
    .where("promoter_campaigns.state", "=", "accepted");
  return campaignIds.length === 0
    ? accepted
    : accepted.where(among("promoter_campaigns.campaign_id", campaignIds));
}

/** The next promoters who get an e-mail, in the order of their ids. */
export async function nextPromoters(view: View, email: CompanyEmail, after: number): Promise<number[]> {
  const rows = await view.rows(
    addressedBy(view, email)
      .where("promoter_campaigns.promoter_id", ">", after)
      .select("promoter_campaigns.promoter_id as id")
      .distinct()
      .orderBy("promoter_campaigns.promoter_id")
      .limit(TOGETHER),
  );
  return rows.map(({ id }) => Number(id));
}
