import { listCampaigns } from "../domain/campaign/campaign.ts";
import { countDeliveries, loadLate } from "../domain/webhook/backlog.ts";
import { countWaitingEvents, waitingEvents } from "../domain/sale/waiting.ts";
import { findSightings, type ServerSetup } from "../domain/sighting/sighting.ts";
import { webhooks } from "../domain/webhook/webhook.ts";
import { isAllowedOrigin } from "../http/allowed-origin.ts";
import type { Account } from "../domain/account/account.ts";
import type { Store } from "../storage/store.ts";

/** Older refusals are no problem any more. */
const RECENT_MS = 7 * 24 * 60 * 60 * 1_000;
const MOST_WEBHOOKS = 100;
/** Failed events of an account that are named one by one. */
const MOST_FAILED = 10;

/** The account to examine. */
interface Patient {
  account: Account;
  setup: ServerSetup;
  now: Date;
}

/** The problems of an account, with a remedy: one line each. */
export async function accountProblems(store: Store, patient: Patient): Promise<string[]> {
  return [
    ...(await originProblems(store, patient)),
    ...(await mailProblems(store, patient)),
    ...(await webhookProblems(store, patient)),
    ...(await waitingProblems(store, patient)),
    ...(await lateProblems(store, patient)),
  ];
}

async function lateProblems(store: Store, { account, now }: Patient): Promise<string[]> {
  const { count, oldestAt } = await loadLate(store, account.id, now);
  if (oldestAt === null) return [];
  const what =
    count === 1
      ? `1 event or e-mail is not sent yet, since ${oldestAt}`
      : `${count} events and e-mails are not sent yet, the oldest since ${oldestAt}`;
  return [
    `Account ${account.publicId}: ${what}: make sure that a server runs on this store and that its log shows no faults.`,
  ];
}

async function originProblems(store: Store, { account, now }: Patient): Promise<string[]> {
  const campaigns = await listCampaigns(store, account.id);
  const seen = await findSightings(store, account.id, "refused-origin");
  const refused = seen.filter(
    ({ value, lastAt }) =>
      now.getTime() - Date.parse(lastAt) < RECENT_MS &&
      // It may have been allowed since.
      !campaigns.some(({ allowedOrigins, landingUrl }) => isAllowedOrigin(value, allowedOrigins, landingUrl)),
  );
  return refused.map(({ value, lastAt }) => {
    const refusal = `Account ${account.publicId}: sign-ups from ${value} are refused, most recently on ${lastAt.slice(0, 10)}`;
    if (value === "null")
      return `${refusal}: serve the page over http(s), not from a file or a sandboxed frame.`;
    // The command does not contain the origin. A stranger chose it, and the operator's shell might run parts of it.
    const command = `npx tidemark campaign update ${account.publicId} CAMPAIGN_ID --allow-origin ORIGIN...`;
    return `${refusal}: if the site is yours, allow it with ${command} (name all origins to allow: they replace the old ones), otherwise remove the script from it.`;
  });
}

async function mailProblems(store: Store, { account, setup }: Patient): Promise<string[]> {
  const { held, failed, retrying } = await countDeliveries(store, { accountId: account.id, webhookId: null });
  const name = `Account ${account.publicId}`;
  const problems: string[] = [];
  if (held > 0 && !setup.hasMail)
    problems.push(`${name}: ${held} e-mails wait for a mail server: set SMTP_URL and MAIL_FROM.`);
  if (retrying > 0)
    problems.push(
      `${name}: ${retrying} e-mails could not be sent yet and will be retried: check SMTP_URL and that server.`,
    );
  if (failed > 0)
    problems.push(
      `${name}: ${failed} e-mails were given up: correct the cause that the log names, then npx tidemark mail retry ${account.publicId}.`,
    );
  return problems;
}

async function waitingProblems(store: Store, { account }: Patient): Promise<string[]> {
  const { count, failedCount, currencies } = await countWaitingEvents(store, account.id);
  const name = `Account ${account.publicId}`;
  const problems: string[] = [];
  if (count > failedCount)
    problems.push(
      `${name}: ${count - failedCount} sales and refunds wait for exchange rates of ${currencies.join(", ")}: get them with npx tidemark rates import FILE.`,
    );
  if (failedCount === 0) return problems;
  for await (const chunk of store.scan(waitingEvents, "id", account.id, [])) {
    for (const { id, kind, eventId, fault } of chunk) {
      if (problems.length > MOST_FAILED) return problems;
      if (fault === null) continue;
      problems.push(
        `${name}: the ${kind} ${eventId} waited for a rate and can't be recorded: ${fault} Correct the cause, or drop it with DELETE /api/v2/company/waiting_events/${id}.`,
      );
    }
  }
  return problems;
}

async function webhookProblems(store: Store, { account }: Patient): Promise<string[]> {
  const problems: string[] = [];
  for (const { id, url } of await store.page(webhooks, "id", account.id, [], { limit: MOST_WEBHOOKS })) {
    const { failed, retrying } = await countDeliveries(store, { accountId: account.id, webhookId: id });
    const name = `Account ${account.publicId}: webhook ${id} to ${new URL(url).host}`;
    if (retrying > 0)
      problems.push(`${name} fails: ${retrying} events will be retried; check what the receiver answers.`);
    if (failed > 0)
      problems.push(
        `${name} failed for good with ${failed} events: correct the receiver, then npx tidemark webhook retry ${account.publicId} ${id}.`,
      );
  }
  return problems;
}
