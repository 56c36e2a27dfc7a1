import { z } from "zod";
import { withoutLog } from "../domain/access/audit/audited-store.ts";
import type { Context } from "../domain/context.ts";
import { findPaymentConnection, PROVIDER_WORDS, secretOf } from "../domain/ledger/payment/connection.ts";
import {
  askAnew,
  findStripeAccount,
  forgetStripeAccount,
  intendStripeAccount,
  listDueStripeAccounts,
  recordClosing,
  recordStripeAccount,
  selectStripeAccount,
  stripeAccounts,
  type StripeAccount,
  type StripeAccountReport,
} from "../domain/ledger/payment/stripe-account.ts";
import { Failure } from "../failure.ts";
import type { Seal } from "../seal.ts";
import { LIVE_URL, REMEMBERED_MS, stripeFault } from "./stripe.ts";
import { askJson, isRefusal, type Wired } from "./wire.ts";

/** The context, with the keys of the connections. */
export type Sealed = Context & { seal: Seal };

/** A promoter who wants to be paid to an account at Stripe. */
export interface Newcomer {
  promoter_id: number;
  email: string;
  country: string;
}

/**
 * Opens an account at Stripe for a promoter under the company's key, or goes on with the one that exists. Resolves to the link
 * to Stripe's form, or to null if nothing is left to enter: then the promoter is paid by it. It may be called repeatedly and in
 * parallel, and be interrupted anywhere: Stripe opens one account.
 *
 * @throws Failure `refused` without a connection, if Stripe refuses, or if it does not answer
 */
export async function startStripeAccount(
  context: Sealed,
  accountId: number,
  { public_url, ...newcomer }: Newcomer & { public_url: string },
): Promise<{ account: StripeAccount; link: string | null }> {
  const ask = await requireApi(context, accountId);
  let account: StripeAccount | null = await intendStripeAccount(context, accountId, newcomer);
  account = await (account.stripe_id === null
    ? open(context, ask, { account, email: newcomer.email })
    : check(context, ask, account));
  if (account === null || account.state === "lost")
    throw new Failure("refused", "Stripe does not know the account any more. Try again");
  if (account.state === "enabled") {
    await selectStripeAccount(context, account);
    return { account: (await findStripeAccount(context.store, accountId, account.promoter_id))!, link: null };
  }
  const page = `${public_url}/portal/stripe`;
  const answer = await ask("/v1/account_links", {
    account: account.stripe_id ?? "",
    type: "account_onboarding",
    return_url: page,
    // The link works once. Stripe leads here if it is used again, or after some minutes.
    refresh_url: `${page}?link=used`,
  });
  const link = z.object({ url: z.url() }).safeParse(answer.body).data?.url;
  if (answer.status !== 200 || link === undefined) throw refusalOf(answer);
  return { account, link };
}

/**
 * Asks Stripe about a promoter's account. Resolves to null if there is none.
 *
 * @throws Failure `refused` without a connection
 */
export async function checkStripeAccount(
  context: Sealed,
  accountId: number,
  promoterId: number,
): Promise<StripeAccount | null> {
  const account = await findStripeAccount(context.store, accountId, promoterId);
  return account && check(context, await requireApi(context, accountId), account);
}

/** Asks Stripe about the account that an event names. Resolves to whether it is one of the company's promoters. */
export async function checkNamedAccount(
  context: Sealed,
  accountId: number,
  stripeId: string,
): Promise<boolean> {
  const account = await context.store.find(stripeAccounts, "stripe", accountId, [stripeId]);
  if (account === null) return false;
  await check(context, await requireApi(context, accountId), account);
  return true;
}

/** Asks Stripe about all accounts that are due, without waiting for events. */
export async function* checkDueAccounts(context: Sealed, accountId: number): AsyncGenerator<void> {
  const due = await listDueStripeAccounts(context.store, accountId, context.now);
  const ask = due.length === 0 ? null : await findApi(context, accountId);
  for (const account of due) {
    if (account.state === "closing") await close(context, ask, account);
    else if (ask === null) await recordStripeAccount(context, account, "silent");
    else await check(context, ask, account);
    yield;
  }
}

/** Sends a request to Stripe with the company's key: POST with parameters, DELETE without any, otherwise GET. */
type Ask = (path: string, parameters?: Record<string, string> | "delete", key?: string) => Promise<Wired>;

async function findApi({ store, seal }: Sealed, accountId: number): Promise<Ask | null> {
  const connection = await findPaymentConnection(store, accountId, "stripe");
  if (connection === null) return null;
  const secret = secretOf(connection, seal);
  return (path, parameters, key) =>
    askJson((connection.api_url ?? LIVE_URL) + path, {
      method: parameters === undefined ? "GET" : parameters === "delete" ? "DELETE" : "POST",
      headers: {
        authorization: `Bearer ${secret}`,
        ...(key !== undefined && { "idempotency-key": key }),
      },
      ...(typeof parameters === "object" && { body: new URLSearchParams(parameters) }),
    });
}

async function requireApi(context: Sealed, accountId: number): Promise<Ask> {
  const ask = await findApi(context, accountId);
  if (ask === null) throw new Failure("refused", `The company does not pay by ${PROVIDER_WORDS.stripe}`);
  return ask;
}

/**
 * Asks Stripe to open an account. While it remembers the key, a repetition answers with the first account. After that, its
 * list is searched first.
 *
 * @throws Failure `refused`
 */
async function open(
  context: Sealed,
  ask: Ask,
  { account, email }: { account: StripeAccount; email: string },
): Promise<StripeAccount | null> {
  if (context.now.getTime() - Date.parse(account.asked_at) >= REMEMBERED_MS) {
    const listed = await findListed(ask, account);
    if (listed !== null) return recordStripeAccount(context, account, listed);
    const again = await askAnew(context, account);
    if (again === null || again.stripe_id !== null) return again;
  }
  const own = connectedAccount.safeParse((await ask("/v1/account")).body).data;
  const isAbroad = own?.country !== undefined && own.country !== account.country;
  const answer = await ask(
    "/v1/accounts",
    {
      type: "express",
      country: account.country,
      email,
      "capabilities[transfers][requested]": "true",
      "metadata[promoter]": account.reference,
      // Stripe pays accounts in other countries only under this agreement.
      ...(isAbroad && { "tos_acceptance[service_agreement]": "recipient" }),
    },
    account.reference,
  );
  const made = connectedAccount.safeParse(answer.body).data;
  if (answer.status === 200 && made !== undefined)
    return recordStripeAccount(context, account, reportOf(made));
  const fault = stripeFault(answer);
  if (isRefusal(answer) && fault !== null && fault.type !== "idempotency_error")
    await forgetStripeAccount(context, account);
  throw refusalOf(answer);
}

async function check(context: Sealed, ask: Ask, account: StripeAccount): Promise<StripeAccount | null> {
  if (account.stripe_id === null) {
    const listed = await findListed(ask, account).catch(() => null); // it is asked again later
    return recordStripeAccount(context, account, listed ?? "silent");
  }
  const answer = await ask(`/v1/accounts/${account.stripe_id}`);
  const found = connectedAccount.safeParse(answer.body).data;
  if (answer.status === 200 && found !== undefined)
    return recordStripeAccount(context, account, reportOf(found));
  const isGone = answer.status === 403 || answer.status === 404;
  return recordStripeAccount(context, account, isGone ? null : "silent");
}

/**
 * Closes the account of an erased promoter. The audit log must not name it again, so nothing is logged.
 *
 * @see https://docs.stripe.com/api/accounts/delete
 */
async function close(given: Sealed, ask: Ask | null, account: StripeAccount): Promise<void> {
  const context = withoutLog(given);
  if (ask === null) {
    const refusal = `the company does not pay by ${PROVIDER_WORDS.stripe} any more`;
    return recordClosing(context, account, { refusal });
  }
  let { stripe_id } = account;
  if (stripe_id === null) {
    const listed = await findListed(ask, account).catch(() => undefined);
    // A request to open it may still be under way as long as Stripe remembers its key.
    const isSettled = context.now.getTime() - Date.parse(account.asked_at) >= DAY_SECONDS * 1_000;
    if (listed === null && isSettled) return recordClosing(context, account, "done");
    if (listed === null || listed === undefined) return recordClosing(context, account, { refusal: null });
    stripe_id = listed.stripe_id;
  }
  const answer = await ask(`/v1/accounts/${stripe_id}`, "delete");
  const isGone = answer.status === 403 || answer.status === 404;
  if (answer.status === 200 || isGone) return recordClosing(context, account, "done");
  const refusal = isRefusal(answer) ? (stripeFault(answer)?.message ?? answer.error) : null;
  return recordClosing(context, account, { refusal });
}

const PAGE_SIZE = 100;
const DAY_SECONDS = 24 * 60 * 60;

/** The account with our reference in Stripe's list. @throws Failure `refused` without an answer */
async function findListed(ask: Ask, account: StripeAccount): Promise<StripeAccountReport | null> {
  const since = Math.floor(Date.parse(account.created_at) / 1_000) - DAY_SECONDS;
  for (let after = ""; ;) {
    const answer = await ask(`/v1/accounts?limit=${PAGE_SIZE}&created[gte]=${since}${after}`);
    const list = z.object({ data: z.array(connectedAccount) }).safeParse(answer.body).data?.data;
    if (answer.status !== 200 || list === undefined) throw refusalOf(answer);
    const found = list.find(({ metadata }) => metadata?.promoter === account.reference);
    if (found !== undefined) return reportOf(found);
    if (list.length < PAGE_SIZE) return null;
    after = `&starting_after=${list.at(-1)?.id}`;
  }
}

/** @see https://docs.stripe.com/api/accounts/object */
const connectedAccount = z.object({
  id: z.string(),
  country: z.string().optional(),
  details_submitted: z.boolean().optional(),
  payouts_enabled: z.boolean().optional(),
  capabilities: z.object({ transfers: z.string().optional() }).nullish(),
  requirements: z
    .object({
      currently_due: z.array(z.string()).nullish(),
      past_due: z.array(z.string()).nullish(),
      disabled_reason: z.string().nullish(),
    })
    .nullish(),
  metadata: z.object({ promoter: z.string().optional() }).nullish(),
});

/** The most fields that are kept. Stripe's form shows all. */
const MOST_MISSING = 30;

function reportOf(found: z.output<typeof connectedAccount>): StripeAccountReport {
  const { currently_due: due, past_due: late, disabled_reason: reason } = found.requirements ?? {};
  const missing = [...new Set([...(late ?? []), ...(due ?? [])])].slice(0, MOST_MISSING);
  const state = stateOf(found, { missing, reason: reason ?? "" });
  return { stripe_id: found.id, state, missing, has_payouts: found.payouts_enabled === true };
}

function stateOf(
  { capabilities, details_submitted: isSubmitted }: z.output<typeof connectedAccount>,
  { missing, reason }: { missing: string[]; reason: string },
): StripeAccountReport["state"] {
  if (capabilities?.transfers === "active") return "enabled";
  if (reason.startsWith("rejected")) return "rejected";
  return missing.length > 0 || isSubmitted !== true ? "incomplete" : "pending";
}

function refusalOf(answer: Wired): Failure {
  return new Failure("refused", `Stripe: ${stripeFault(answer)?.message ?? answer.error}`);
}
