import type { Command } from "commander";
import { listAccounts, type Account } from "../domain/program/account/account.ts";
import { SYSTEM } from "../domain/context.ts";
import { listCampaigns } from "../domain/program/campaign/campaign.ts";
import { payments } from "../domain/ledger/payment/payment.ts";
import { listUnclosable } from "../domain/ledger/payment/stripe-account.ts";
import { countWaitingEvents, waitingEvents } from "../domain/ledger/sale/waiting.ts";
import { findSetup, findSightings, type ServerSetup } from "../domain/people/sighting.ts";
import { countDeliveries, loadLate } from "../domain/events/webhook/backlog.ts";
import { webhooks } from "../domain/events/webhook/webhook.ts";
import { isAllowedOrigin } from "../domain/program/campaign/allowed-origin.ts";
import type { Store } from "../storage/store.ts";
import { isLoopback, parseUrl } from "../url.ts";
import { withStore } from "./store.ts";
import { DAY_MS } from "../domain/span.ts";

/** Pages with visitors load the script at least every hour. */
const SCRIPT_DAYS = 7;

/** Adds the command that checks a set-up. */
export function doctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("show what is wrong with the set-up and what to do; exits with 1 if anything is")
    .action(() =>
      withStore(async ({ store, now }) => {
        const problems = await findProblems(store, now);
        for (const problem of problems) process.stdout.write(`${problem}\n`);
        if (problems.length > 0) process.exitCode = 1;
        else process.stdout.write("Nothing is wrong.\n");
      }),
    );
}

/** The problems of a set-up with their remedies, one line each. */
export async function findProblems(store: Store, now: Date): Promise<string[]> {
  const setup = await findSetup(store);
  if (setup === null)
    return ["No server has run on this store yet: start one, let it run for a while, and try again."];
  const problems = [
    ...(await addressProblems(store, setup)),
    ...(await proxyProblems(store, setup)),
    ...(await scriptProblems(store, setup, now)),
  ];
  for (const account of await listAccounts(store)) {
    problems.push(...(await accountProblems(store, { account, setup, now })));
  }
  return problems;
}

async function addressProblems(store: Store, { public_url, started_at }: ServerSetup): Promise<string[]> {
  const { host, hostname } = new URL(public_url);
  if (hostname === "0.0.0.0" || hostname === "[::]") {
    return [
      `PUBLIC_URL is ${public_url}, which browsers elsewhere can't open: set it to the address at which they reach the server.`,
    ];
  }
  const seen = await findSightings(store, SYSTEM, "host");
  const other = seen.find(
    ({ value, last_at }) => last_at >= started_at && value !== host && !isLoopback(hostnameOf(value)),
  );
  if (other === undefined) return [];
  return [
    `PUBLIC_URL is ${public_url}, but browsers reach the server as ${other.value}: set PUBLIC_URL to that address, ` +
      "or make the proxy forward the browser's Host header.",
  ];
}

/** A host without its port. */
function hostnameOf(host: string): string {
  return parseUrl(`http://${host}`)?.hostname ?? host;
}

async function proxyProblems(store: Store, { trust_proxy_hops, started_at }: ServerSetup): Promise<string[]> {
  const seen = await findSightings(store, SYSTEM, "proxy");
  const isSeen = (what: string) => seen.some(({ value, last_at }) => value === what && last_at >= started_at);
  if (isSeen("unexpected")) {
    return [
      "Requests come through a proxy (they have X-Forwarded-For), but TRUST_PROXY is 0, so all visitors share the " +
        "proxy's address and its limits: set TRUST_PROXY to the number of proxies in front.",
    ];
  }
  if (!isSeen("missing")) return [];
  return [
    `TRUST_PROXY is ${trust_proxy_hops}, but some requests passed fewer proxies that write X-Forwarded-For: ` +
      "set TRUST_PROXY to their number, and make sure that the server can't be reached without them.",
  ];
}

async function scriptProblems(store: Store, { public_url }: ServerSetup, now: Date): Promise<string[]> {
  const [last] = await findSightings(store, SYSTEM, "script");
  if (last === undefined) {
    return [
      `No page has loaded the script yet: put <script async src="${public_url}/svc.js" data-cid="ACCOUNT_ID"></script> ` +
        "on every page of your site, and open one.",
    ];
  }
  if (now.getTime() - Date.parse(last.last_at) < SCRIPT_DAYS * DAY_MS) return [];
  return [
    `No page has loaded the script since ${last.last_at.slice(0, 10)}: check that its tag is still on every page ` +
      "of your site.",
  ];
}

/** Older refusals are ignored. */
const RECENT_MS = 7 * 24 * 60 * 60 * 1_000;
const MOST_WEBHOOKS = 100;
/** How many failed events of an account are listed. */
const MOST_FAILED = 10;

/** The account to check. */
interface Patient {
  account: Account;
  setup: ServerSetup;
  now: Date;
}

/** The problems of an account with their remedies, one line each. */
async function accountProblems(store: Store, patient: Patient): Promise<string[]> {
  return [
    ...(await originProblems(store, patient)),
    ...(await mailProblems(store, patient)),
    ...(await webhookProblems(store, patient)),
    ...(await waitingProblems(store, patient)),
    ...(await paymentProblems(store, patient)),
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
    `Account ${account.public_id}: ${what}: make sure that a server runs on this store and that its log shows no faults.`,
  ];
}

async function originProblems(store: Store, { account, now }: Patient): Promise<string[]> {
  const campaigns = await listCampaigns(store, account.id);
  const seen = await findSightings(store, account.id, "refused-origin");
  const refused = seen.filter(
    ({ value, last_at }) =>
      now.getTime() - Date.parse(last_at) < RECENT_MS &&
      // The origin may have been allowed since.
      !campaigns.some(({ allowed_origins, landing_url }) =>
        isAllowedOrigin(value, allowed_origins, landing_url),
      ),
  );
  return refused.map(({ value, last_at }) => {
    const refusal = `Account ${account.public_id}: sign-ups from ${value} are refused, most recently on ${last_at.slice(0, 10)}`;
    if (value === "null")
      return `${refusal}: serve the page over http(s), not from a file or a sandboxed frame.`;
    // The command does not contain the origin, because a stranger chose it, and the shell could run parts of it.
    const command = `tidemark campaign update ${account.public_id} CAMPAIGN_ID --allow-origin ORIGIN...`;
    return `${refusal}: if the site is yours, allow it with ${command} (name all allowed origins: they replace the old ones); otherwise remove the script from it.`;
  });
}

async function mailProblems(store: Store, { account, setup }: Patient): Promise<string[]> {
  const { held, failed, retrying } = await countDeliveries(store, {
    account_id: account.id,
    webhook_id: null,
  });
  const name = `Account ${account.public_id}`;
  const problems: string[] = [];
  if (held > 0 && !setup.has_mail)
    problems.push(`${name}: ${held} e-mails wait for a mail server: set SMTP_URL and MAIL_FROM.`);
  if (retrying > 0)
    problems.push(
      `${name}: ${retrying} e-mails could not be sent yet and will be retried: check SMTP_URL and that server.`,
    );
  if (failed > 0)
    problems.push(
      `${name}: ${failed} e-mails were given up: correct the cause that the log names, then tidemark mail retry ${account.public_id}.`,
    );
  return problems;
}

async function waitingProblems(store: Store, { account }: Patient): Promise<string[]> {
  const { count, failed_count, currencies } = await countWaitingEvents(store, account.id);
  const name = `Account ${account.public_id}`;
  const problems: string[] = [];
  if (count > failed_count)
    problems.push(
      `${name}: ${count - failed_count} sales and refunds wait for exchange rates of ${currencies.join(", ")}: get them with tidemark rates import FILE.`,
    );
  if (failed_count === 0) return problems;
  for await (const chunk of store.scan(waitingEvents, "id", account.id, [])) {
    for (const { id, kind, event_id, fault } of chunk) {
      if (problems.length > MOST_FAILED) return problems;
      if (fault === null) continue;
      problems.push(
        `${name}: the ${kind} ${event_id} waited for a rate and can't be recorded: ${fault} Correct the cause, or drop it with DELETE /api/v2/company/waiting_events/${id}.`,
      );
    }
  }
  return problems;
}

async function paymentProblems(store: Store, { account }: Patient): Promise<string[]> {
  const open = await store.page(payments, "review", account.id, [], { limit: MOST_FAILED });
  const undecided = open.map(
    ({ id, review }) =>
      `Account ${account.public_id}: payment ${id} may be paid or not. ${review?.reason}. Look for it there, then tidemark payouts decide ${account.public_id} ${id} paid or not-paid.`,
  );
  const unclosable = (await listUnclosable(store, account.id)).map(
    ({ promoter_id, stripe_id, closing_refusal }) =>
      `Account ${account.public_id}: the account ${stripe_id ?? "at Stripe"} of the erased promoter ${promoter_id} is not closed yet. Stripe: ${closing_refusal}. The server tries again each day; close it in Stripe's dashboard if that does not help.`,
  );
  return [...undecided, ...unclosable];
}

async function webhookProblems(store: Store, { account }: Patient): Promise<string[]> {
  const problems: string[] = [];
  for (const { id, url } of await store.page(webhooks, "id", account.id, [], { limit: MOST_WEBHOOKS })) {
    const { failed, retrying } = await countDeliveries(store, { account_id: account.id, webhook_id: id });
    const name = `Account ${account.public_id}: webhook ${id} to ${new URL(url).host}`;
    if (retrying > 0)
      problems.push(`${name} fails: ${retrying} events will be retried; check what the receiver answers.`);
    if (failed > 0)
      problems.push(
        `${name} failed for good with ${failed} events: correct the receiver, then tidemark webhook retry ${account.public_id} ${id}.`,
      );
  }
  return problems;
}
