import { sql } from "kysely";
import { Failure } from "../../../failure.ts";
import { among, type Schema } from "../../../storage/query.ts";
import type { Transaction, View } from "../../../storage/store.ts";
import { batchProcesses, emailRuns, type BatchProcess, type EmailRun } from "../../batch.ts";
import type { Context, LeasedContext } from "../../context.ts";
import { servedAccounts, type Account } from "../../program/account/account.ts";
import { campaigns } from "../../program/campaign/campaign.ts";
import {
  companyEmails,
  loadCompanyEmail,
  isForCampaign,
  type CompanyEmail,
} from "../../program/company-email/company-email.ts";
import { promoterCampaigns, type PromoterCampaign } from "../promoter-campaign/promoter-campaign.ts";
import { promoters } from "../promoter/promoter.ts";
import {
  enqueueOwnEmail,
  findAddressed,
  reasonAgainst,
  sentEmails,
  topicOf,
  plannedEmails,
  type PlannedEmail,
} from "./mailing.ts";
import { dayIn, startOfDay, timeZoneOf } from "../../program/account/time-zone.ts";

/** The promoters of one commit. */
const TOGETHER = 100;
/** How many left-out promoters are stored with their reasons. */
const MOST_REASONS = 1_000;

/** What the jobs of e-mails work with. */
export interface MailingRun extends LeasedContext {
  public_url: string;
}

/**
 * Begins to send a broadcast to all promoters of its campaigns. Each gets it once, even if this is repeated: only new ones
 * get it then. A job sends it.
 *
 * @throws Failure `not_found`, `refused` for an e-mail with another trigger, or one that is being sent
 */
export async function startBroadcast(
  tx: Transaction,
  { now }: Context,
  accountId: number,
  emailId: number,
): Promise<BatchProcess> {
  const id = await tx.nextId("batch-process");
  const email = await loadCompanyEmail(tx, accountId, emailId);
  if (email.trigger_on !== "broadcast") {
    throw new Failure("refused", "Only an e-mail with the trigger broadcast can be sent now.");
  }
  return startRun(tx, { email, id, now });
}

async function startRun(
  tx: Transaction,
  { email, id, now }: { email: CompanyEmail; id: number; now: Date },
): Promise<BatchProcess> {
  const { account_id } = email;
  const at = now.toISOString();
  const [count] = await tx.view.rows(
    addressedBy(tx.view, email).select(
      sql<number>`count(distinct promoter_campaigns.promoter_id)`.as("total"),
    ),
  );
  const batch: BatchProcess = {
    account_id,
    id,
    label: "email/send",
    total: Number(count?.total ?? 0),
    processed_count: 0,
    errors: [],
    failed_count: 0,
    is_under_way: true,
    meta: { email_id: email.id },
    created_at: at,
    updated_at: at,
  };
  const isBeingSent = () => new Failure("refused", "This e-mail is being sent.");
  await tx.insert(
    emailRuns,
    { account_id, id, email_id: email.id, after_promoter_id: 0, created_at: at },
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
      const dueAt = email?.is_enabled ? latestDue(email, account, now) : null;
      if (email === null || dueAt === null) return;
      const isDone = dueAt <= email.updated_at || (email.ran_at !== null && dueAt <= email.ran_at);
      if (isDone || (await tx.find(emailRuns, "email", account.id, [id])) !== null) return;
      await tx.put(companyEmails, { ...email, ran_at: dueAt });
      await startRun(tx, { email, id: batchId, now });
    });
  }
}

/** Sends the next part of a run. Returns whether there may be more. */
async function isContinued(
  { store, clock, guard, public_url }: MailingRun,
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
    const email = await tx.get(companyEmails, account.id, run.email_id);
    const chosen = email === null ? [] : await nextPromoters(tx.view, email, run.after_promoter_id);
    const progress = {
      ...batch,
      failed_count: batch.failed_count ?? 0,
      errors: [...batch.errors],
      updated_at: now.toISOString(),
    };
    for (const [index, promoterId] of chosen.entries()) {
      const reason = await sendOne(tx, {
        email: email!,
        account,
        promoter_id: promoterId,
        run,
        now,
        public_url,
        id: ids[index]!,
      });
      if (reason === null) progress.processed_count += 1;
      else {
        progress.failed_count += 1;
        if (progress.errors.length < MOST_REASONS) progress.errors.push(`${promoterId}: ${reason}`);
      }
    }
    const isOver = chosen.length < TOGETHER;
    if (!isOver) {
      await tx.put(emailRuns, { ...run, after_promoter_id: chosen.at(-1)! });
      await tx.put(batchProcesses, progress);
      return true;
    }
    if (email === null) progress.errors.push("The e-mail was deleted");
    const { is_under_way: _, ...completed } = progress;
    await tx.remove(emailRuns, account.id, id);
    await tx.put(batchProcesses, {
      ...completed,
      total: completed.processed_count + completed.failed_count,
    });
    return false;
  });
}

interface Sending {
  email: CompanyEmail;
  account: Account;
  promoter_id: number;
  run: EmailRun;
  now: Date;
  public_url: string;
  id: number;
}

/** Sends a promoter the e-mail, and returns null, or why not. */
async function sendOne(tx: Transaction, sending: Sending): Promise<string | null> {
  const { email, account, promoter_id, run, now, public_url, id } = sending;
  const sent = await tx.get(sentEmails, account.id, email.id, promoter_id);
  const isRepeated = sent !== null && (email.trigger_on === "broadcast" || sent.at >= run.created_at);
  if (isRepeated) return "has got it before";
  const promoter = await tx.get(promoters, account.id, promoter_id);
  const reason = await reasonAgainst(tx, promoter, topicOf(email.trigger_on));
  if (promoter === null || reason !== null) return reason;
  const promoterCampaign = await findAddressed(tx.view, promoter, email);
  const campaign = promoterCampaign && (await tx.get(campaigns, account.id, promoterCampaign.campaign_id));
  if (promoterCampaign === null || campaign === null) return "is accepted in none of its campaigns";
  await tx.put(sentEmails, {
    account_id: account.id,
    company_email_id: email.id,
    promoter_id,
    at: now.toISOString(),
  });
  await enqueueOwnEmail(
    tx,
    { account, campaign, promoter, promoterCampaign, public_url },
    { email, id, now },
  );
  return null;
}

type AddressedSchema = Schema<{ promoter_campaigns: typeof promoterCampaigns }>;

/** The promoter campaigns of an e-mail's promoters. */
export function addressedBy(view: View, { account_id, campaign_ids }: CompanyEmail) {
  const accepted = view
    .query<AddressedSchema>()
    .selectFrom("promoter_campaigns")
    .where("promoter_campaigns.account_id", "=", account_id)
    .where("promoter_campaigns.state", "=", "accepted");
  return campaign_ids.length === 0
    ? accepted
    : accepted.where(among("promoter_campaigns.campaign_id", campaign_ids));
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

const MINUTE_MS = 60_000;
const WEEK_DAYS = 7;

/**
 * The last time that a recurring e-mail was due, in the account's time zone, or null if it lacks a setting. In a month
 * without its day, it is due on the last one.
 */
function latestDue(
  { settings }: Pick<CompanyEmail, "settings">,
  account: Pick<Account, "time_zone">,
  now: Date,
): string | null {
  const { frequency, day, hour, minute } = settings;
  if (frequency === null || day === null || hour === null || minute === null) return null;
  const zone = timeZoneOf(account);
  const today = dayIn(zone, now);
  const dueDays = frequency === "weekly" ? weekDays(today, day) : monthDays(today, day);
  const dues = dueDays.map((each) => timeOfDay(zone, each, hour * 60 + minute));
  return dues.find((due) => due <= now)?.toISOString() ?? null;
}

/** The last two days of a week day, the later one first. */
function weekDays(today: string, weekDay: number): string[] {
  const past = (new Date(`${today}T00:00:00Z`).getUTCDay() - (weekDay % WEEK_DAYS) + WEEK_DAYS) % WEEK_DAYS;
  return [past, past + WEEK_DAYS].map((days) => dayBefore(today, days));
}

/** The day of this month and of the month before. */
function monthDays(today: string, day: number): string[] {
  const [year, month] = [Number(today.slice(0, 4)), Number(today.slice(5, 7))];
  return [0, 1].map((before) => {
    const last = new Date(Date.UTC(year, month - before, 0));
    return new Date(last.setUTCDate(Math.min(day, last.getUTCDate()))).toISOString().slice(0, 10);
  });
}

function dayBefore(today: string, days: number): string {
  const at = new Date(`${today}T00:00:00Z`);
  return new Date(at.setUTCDate(at.getUTCDate() - days)).toISOString().slice(0, 10);
}

/** A time of day. On a day whose clock is changed, it may be an hour off. */
function timeOfDay(zone: string, day: string, minutes: number): Date {
  return new Date(startOfDay(zone, day).getTime() + minutes * MINUTE_MS);
}

/** The e-mails of one commit. */
const PLANNED_TOGETHER = 50;

/** Puts planned e-mails that are due into the outbox. Each leaves the plan in the same commit, so it is sent once. */
export async function* releasePlanned(run: MailingRun): AsyncGenerator<void> {
  for await (const account of servedAccounts(run.store)) {
    while (await isReleased(run, account)) yield;
  }
}

/** Returns whether there may be more. */
async function isReleased(run: MailingRun, account: Account): Promise<boolean> {
  const { store, clock, guard } = run;
  const first = await store.page(plannedEmails, "due", account.id, [], { limit: PLANNED_TOGETHER });
  const now = clock();
  const due = first.filter(({ due_at }) => Date.parse(due_at) <= now.getTime());
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
  return due.length === PLANNED_TOGETHER;
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
  { public_url }: MailingRun,
  { account, planned, id, now }: Release,
): Promise<void> {
  const email = await tx.get(companyEmails, account.id, planned.company_email_id);
  const promoter = await tx.get(promoters, account.id, planned.promoter_id);
  const promoterCampaign = await tx.get(promoterCampaigns, account.id, planned.promoter_campaign_id);
  if (email === null || promoter === null || promoterCampaign === null) return;
  const campaign = await tx.get(campaigns, account.id, promoterCampaign.campaign_id);
  if (campaign === null || !email.is_enabled || !isStillFor(email, promoterCampaign)) return;
  if ((await reasonAgainst(tx, promoter, topicOf(email.trigger_on))) !== null) return;
  const { values } = planned;
  await enqueueOwnEmail(
    tx,
    { account, campaign, promoter, promoterCampaign, public_url },
    { email, id, now, values },
  );
}

/** A promoter who was blocked since is told nothing more. */
function isStillFor(email: CompanyEmail, { state, campaign_id }: PromoterCampaign): boolean {
  const wanted = email.trigger_on === "promoter_rejected" ? "rejected" : "accepted";
  return state === wanted && isForCampaign(email, campaign_id);
}
