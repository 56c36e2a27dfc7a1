import { sql, type SqlBool } from "kysely";
import { among } from "../../../storage/query.ts";
import type { View } from "../../../storage/store.ts";
import { servedAccounts, type Account } from "../../program/account/account.ts";
import { campaigns } from "../../program/campaign/campaign.ts";
import {
  companyEmails,
  isForCampaign,
  type CompanyEmail,
} from "../../program/company-email/company-email.ts";
import { calendarOf } from "../../program/account/time-zone.ts";
import type { Calendar } from "../../../storage/sums.ts";
import { columnOf, dailyQuery, type Metric } from "../daily.ts";
import { listPromoterCampaigns } from "../promoter-campaign/search.ts";
import { promoters } from "../promoter/promoter.ts";
import { nextPromoters, type MailingRun } from "./broadcast.ts";
import { enqueueOwnEmail, findAddressed, reasonAgainst, sentEmails, topicOf } from "./mailing.ts";
import { DAY_MS } from "../../span.ts";

/** What a promoter does who is not inactive. */
const ACTIVITIES = ["clicks", "referrals", "customers"] as const satisfies readonly Metric[];

/**
 * Sends e-mails to promoters who have reached a count, or have been inactive for some days. A mark is written with each, so
 * that no promoter gets a count twice, and an inactive one gets another only after they were active again.
 *
 * @see docs/spec/events.md "Own e-mails"
 */
export async function* sendOnConditions(run: MailingRun): AsyncGenerator<void> {
  const { store } = run;
  for await (const account of servedAccounts(store)) {
    for (const trigger of ["count_reached", "inactivity"] as const) {
      for (const email of await store.list(companyEmails, "trigger", account.id, [trigger])) {
        if (email.is_enabled) yield* sendWhereDue(run, account, email);
      }
    }
  }
}

async function* sendWhereDue(run: MailingRun, account: Account, email: CompanyEmail): AsyncGenerator<void> {
  for (let after: number | undefined = 0; after !== undefined;) {
    const chosen = await nextPromoters(run.store, email, after);
    const due = await (email.trigger_on === "inactivity"
      ? inactive(run, email, { chosen, calendar: calendarOf(account) })
      : reached(run.store, email, chosen));
    for (const promoterId of due) await sendOne(run, account, { email, promoter_id: promoterId });
    after = chosen.at(-1);
    yield;
  }
}

/** Those who have reached the count in the e-mail's campaigns. */
async function reached(view: View, email: CompanyEmail, chosen: number[]): Promise<number[]> {
  const { metric, count } = email.settings;
  if (metric === null || count === null || chosen.length === 0) return [];
  const rows = await view.rows(
    daysOf(view, email, chosen)
      .groupBy("daily.subject_id")
      .having(sql`sum(${sql.ref(`daily.${columnOf(metric)}`)})`, ">=", count)
      .select("daily.subject_id as id"),
  );
  return rows.map(({ id }) => Number(id));
}

/** Those who joined at least so many days ago, and have done nothing since. */
async function inactive(
  { store, clock }: MailingRun,
  email: CompanyEmail,
  { chosen, calendar }: { chosen: number[]; calendar: Calendar },
): Promise<number[]> {
  const { period_days, metric } = email.settings;
  if (period_days === null || chosen.length === 0) return [];
  const since = new Date(clock().getTime() - period_days * DAY_MS).toISOString();
  const counted = (metric === null ? ACTIVITIES : [metric]).map((each) => sql.ref(`daily.${columnOf(each)}`));
  const rows = await store.rows(
    daysOf(store, email, chosen)
      .where(sql`${sql.join(counted, sql` + `)}`, ">", 0)
      .groupBy("daily.subject_id")
      .select(["daily.subject_id as id", sql<string>`max(daily.day)`.as("day")]),
  );
  const lastDays = new Map(rows.map(({ id, day }) => [Number(id), day]));
  const due: number[] = [];
  for (const promoterId of chosen) {
    const joined = await listPromoterCampaigns(store, email.account_id, promoterId);
    const own = joined.filter(
      ({ state, campaign_id }) => state === "accepted" && isForCampaign(email, campaign_id),
    );
    const lastDay = lastDays.get(promoterId) ?? "";
    const isIdle = lastDay < calendar(since) && own.some(({ created_at }) => created_at <= since);
    const sent = isIdle ? await store.get(sentEmails, email.account_id, email.id, promoterId) : null;
    if (isIdle && (sent === null || lastDay >= calendar(sent.at))) due.push(promoterId);
  }
  return due;
}

/** The days of these promoters in the e-mail's campaigns. */
function daysOf(view: View, { account_id, campaign_ids }: CompanyEmail, chosen: number[]) {
  const days = dailyQuery(view, account_id, "promoter").where(among("daily.subject_id", chosen));
  if (campaign_ids.length === 0) return days;
  return days.where(
    sql<SqlBool>`daily.promoter_campaign_id in (select id from promoter_campaigns where account_id = ${account_id}
      and ${among("campaign_id", campaign_ids)})`,
  );
}

async function sendOne(
  { store, clock, guard, public_url }: MailingRun,
  account: Account,
  { email: found, promoter_id }: { email: CompanyEmail; promoter_id: number },
): Promise<void> {
  const key = [account.id, found.id, promoter_id] as const;
  const seen = await store.get(sentEmails, ...key);
  if (seen !== null && found.trigger_on === "count_reached") return;
  const promoter = await store.get(promoters, account.id, promoter_id);
  if ((await reasonAgainst(store, promoter, topicOf(found.trigger_on))) !== null) return;
  const id = await store.nextId("delivery");
  await store.transact(async (tx) => {
    await guard(tx);
    const now = clock();
    const email = await tx.get(companyEmails, account.id, found.id);
    const current = await tx.get(promoters, account.id, promoter_id);
    const sent = await tx.get(sentEmails, ...key);
    const isChanged = email?.updated_at !== found.updated_at || sent?.at !== seen?.at;
    if (email === null || current === null || isChanged) return;
    if ((await reasonAgainst(tx, current, topicOf(email.trigger_on))) !== null) return;
    const promoterCampaign = await findAddressed(tx.view, current, email);
    const campaign = promoterCampaign && (await tx.get(campaigns, account.id, promoterCampaign.campaign_id));
    if (promoterCampaign === null || campaign === null) return;
    await tx.put(sentEmails, {
      account_id: account.id,
      company_email_id: email.id,
      promoter_id,
      at: now.toISOString(),
    });
    const { count, period_days } = email.settings;
    const values = { count: String(count ?? ""), days: String(period_days ?? "") };
    await enqueueOwnEmail(
      tx,
      { account, campaign, promoter: current, promoterCampaign, public_url },
      { email, id, now, values },
    );
  });
}
