import { setTimeout as sleep } from "node:timers/promises";
import { servedAccounts, type Account } from "../domain/program/account/account.ts";
import type { Context } from "../domain/context.ts";
import { isoRange, upTo } from "../domain/span.ts";
import {
  feeBy,
  listPaymentConnections,
  PAYMENT_PROVIDERS,
  type PaymentProviderName,
} from "../domain/ledger/payment/connection.ts";
import { intendPayments, methodOf, planPayments, type Plan } from "../domain/ledger/payment/intent.ts";
import { isLive, paymentOrders, type Payer, type PaymentOrder } from "../domain/ledger/payment/payment.ts";
import { LONGEST_WAIT_MS, type Answer } from "../domain/ledger/payment/report.ts";
import {
  holdOrder,
  hurryOrder,
  recordAnswer,
  repeatOrder,
  type HeldOrder,
} from "../domain/ledger/payment/steps.ts";
import { tellUndecided } from "../domain/ledger/money-email.ts";
import { loadPaymentsBatch } from "../domain/ledger/payments-batch/batch.ts";
import { METHOD_WORDS, type PayoutMethodName } from "../domain/ledger/payout-method/payout-method.ts";
import { Failure } from "../failure.ts";
import type { Seal } from "../seal.ts";
import type { Store } from "../storage/store.ts";
import { openPaymentProvider, type OpenProvider, type Sending } from "./provider.ts";
import { checkDueAccounts, checkNamedAccount } from "./stripe-accounts.ts";
import {
  addGroup,
  closeGroup,
  listCompleteGroups,
  nextGroupName,
  useGroup,
  type PaymentGroup,
} from "../domain/ledger/payment/group.ts";

/** The context of sending. The clock is read before each step, because providers may be slow. */
export interface Run extends Omit<Context, "now"> {
  clock: () => Date;
  seal: Seal;
}

/** A batch to send by a provider. */
interface BatchToSend {
  batchId: number;
  provider: PaymentProviderName;
}

/** An estimate of the provider's fees, in the minor unit: by its quote, or by the rule that the company has set. */
interface FeeEstimate {
  amount: number;
  by: "quote" | "rule";
}

/** What sending would do, and what it costs, in minor units. Null: unknown. */
export interface PricedPlan extends Plan {
  provider: PaymentProviderName;
  /** The connected providers that could pay the batch. */
  providers: PaymentProviderName[];
  total: number;
  /** At the provider. */
  balance: number | null;
  isPrepaid: boolean;
  fees: FeeEstimate | null;
}

/** The provider that pays a batch. @throws Failure `not_found`, `refused` if none is named and several are connected */
export async function payerOfBatch(
  store: Store,
  accountId: number,
  { batchId, wanted }: { batchId: number; wanted: PaymentProviderName | null },
): Promise<PaymentProviderName> {
  const { method } = await loadPaymentsBatch(store, accountId, batchId);
  if (wanted !== null) return wanted;
  const [first, other] = await payersOf(store, accountId, method);
  if (other !== undefined)
    throw new Failure("refused", `Several providers pay by ${METHOD_WORDS[method]}: name one`);
  return first;
}

/**
 * The connected provider that can pay the most promoters of a batch.
 *
 * @throws Failure `not_found`, `refused` if none pays its method
 */
export async function choosePayer(run: Run, account: Account, batchId: number): Promise<PaymentProviderName> {
  const { method } = await loadPaymentsBatch(run.store, account.id, batchId);
  const providers = await payersOf(run.store, account.id, method);
  let [provider] = providers;
  let mostPaid = 0;
  for (const each of providers.length === 1 ? [] : providers) {
    const { toPay } = await planPayments(contextOf(run), account, { batchId, provider: each });
    if (toPay.length > mostPaid) [provider, mostPaid] = [each, toPay.length];
  }
  return provider;
}

/** The connected providers that pay a method; without any, the one to connect. @throws Failure `refused` if none pays it */
async function payersOf(
  store: Store,
  accountId: number,
  method: PayoutMethodName,
): Promise<[PaymentProviderName, ...PaymentProviderName[]]> {
  const [first, ...others] = PAYMENT_PROVIDERS.filter((name) => methodOf(name) === method);
  if (first === undefined)
    throw new Failure("refused", `No provider pays by ${METHOD_WORDS[method]}: use its file`);
  const connections = await listPaymentConnections(store, accountId);
  const connected = new Set(connections.map(({ provider }) => provider));
  const [one, ...more] = [first, ...others].filter((name) => connected.has(name));
  return one === undefined ? [first] : [one, ...more];
}

/** Shows what sending a batch would do. @throws Failure `not_found`, `refused` */
export async function priceBatch(run: Run, account: Account, given: BatchToSend): Promise<PricedPlan> {
  const adapter = await openPaymentProvider(run, account.id, given.provider);
  const plan = await planPayments(contextOf(run), account, given);
  const total = plan.toPay.reduce((sum, { amount }) => sum + amount, 0);
  const { isPrepaid } = adapter;
  const fees = await estimateFees(adapter, plan);
  const balance = await adapter.balance(account.currency);
  const providers = await payersOf(run.store, account.id, plan.batch.method);
  return { ...plan, provider: given.provider, providers, total, balance, isPrepaid, fees };
}

async function estimateFees(adapter: OpenProvider, { toPay, currency }: Plan): Promise<FeeEstimate | null> {
  const amounts = toPay.map(({ amount }) => amount);
  if (amounts.length === 0) return null;
  const quoted = (await adapter.quoteFee?.(amounts, currency)) ?? null;
  if (quoted !== null) return { amount: quoted, by: "quote" };
  return adapter.fee_rule && { amount: feeBy(adapter.fee_rule, amounts), by: "rule" };
}

/**
 * Records the payments of a batch, so that the server sends them. It may be called repeatedly and in parallel: each payout
 * is recorded once. Resolves to what there was to do.
 *
 * @throws Failure `not_found`, `refused` if there is too little money, or for another method
 */
export async function intendBatch(
  run: Run,
  account: Account,
  { ignoresBalance, ...given }: BatchToSend & { ignoresBalance: boolean },
): Promise<PricedPlan> {
  const plan = await priceBatch(run, account, given);
  const { total, balance, isPrepaid, fees } = plan;
  if (isPrepaid && balance !== null && balance < total + (fees?.amount ?? 0) && !ignoresBalance) {
    const words = fees === null ? "" : `, with fees of about ${fees.amount}`;
    throw new Failure(
      "refused",
      `The balance is ${balance}, and the payments are ${total}${words}, in minor units`,
    );
  }
  const { mostPayments } = await openPaymentProvider(run, account.id, given.provider);
  const intend = () => intendPayments(contextOf(run), account, { ...given, mostPayments });
  while ((await intend()) !== null);
  return plan;
}

/**
 * Sends the unsent payments of a batch, and asks for the state of the others. It may be called repeatedly and in parallel,
 * and be interrupted anywhere: each payout is paid at most once. Resolves to what there was to do.
 *
 * @throws Failure `not_found`, `refused` if there is too little money, or for another method
 */
export async function sendBatch(
  run: Run,
  account: Account,
  given: BatchToSend & { ignoresBalance: boolean },
): Promise<PricedPlan> {
  const plan = await intendBatch(run, account, given);
  const orders = await run.store.list(paymentOrders, "batch", account.id, [given.batchId]);
  for (const { id } of orders) await askAbout(run, account.id, id);
  const order = orders.find(({ payer }) => payer === given.provider);
  if (order === undefined) return plan;
  const adapter = await openPaymentProvider(run, account.id, given.provider);
  await closeGroups(contextOf(run), adapter, { order, isWhole: true });
  return plan;
}

/** How often an order is sent again without refused receivers. A provider usually names all of them in one answer. */
const MOST_TRIES = 3;

/** Sends an order, or asks for its state. */
async function askAbout(run: Run, accountId: number, id: number): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const order = await run.store.get(paymentOrders, accountId, id);
    if (order === null || (order.next_ask_at === null && order.provider_id === null)) return;
    if (tries > 0 && order.attempts > 0) return;
    await advance(run, order);
  }
}

/**
 * Advances an order by one step: sends it or asks for its state, and records the answer. Does nothing while another process
 * works on it.
 */
export async function advance(run: Run, { account_id, id, payer }: PaymentOrder): Promise<void> {
  if (payer === "file") return;
  const adapter = await openPaymentProvider(run, account_id, payer).catch(failureOf);
  if (adapter instanceof Failure) {
    const order = await run.store.get(paymentOrders, account_id, id);
    const answer = { kind: "unknown", reason: adapter.message } as const;
    if (order !== null) await recordAnswer(contextOf(run), { ...order, held_until: null }, answer);
    return;
  }
  const held = await holdOrder(contextOf(run), { account_id, id }, adapter.account);
  if (held === null) return;
  const { order, answer } =
    held.next === "send" ? await send(run, adapter, held) : await ask(run, adapter, held);
  await recordAnswer(contextOf(run), order, answer);
  await closeGroups(contextOf(run), adapter, { order });
}

/**
 * Handles an event of a provider. The event is only a hint, so the provider is asked for the state. Resolves to whether the
 * event is about an order of the account, or about a promoter's account at the provider.
 *
 * @throws Failure `not_found`, `malformed` if the provider did not sign it, `unavailable` if that can't be checked now
 */
export async function handlePaymentEvent(
  run: Run,
  account: Account,
  { provider, body, headers }: { provider: PaymentProviderName; body: string; headers: Headers },
): Promise<boolean> {
  const adapter = await openPaymentProvider(run, account.id, provider);
  const news = await adapter.readWebhook({ body, headers, now: run.clock() });
  if (news !== null && "payee" in news)
    return checkNamedAccount({ ...contextOf(run), seal: run.seal }, account.id, news.payee);
  const order = news && (await hurryOrder(contextOf(run), account.id, news));
  if (order !== null) await advance(run, order);
  return order !== null;
}

/** An order, and the provider's answer. */
interface Answered {
  order: PaymentOrder;
  answer: Answer;
}

/** Asks first. The order is sent again only if the state is unknown and a repetition can't pay twice. */
async function ask(run: Run, adapter: OpenProvider, held: HeldOrder): Promise<Answered> {
  const answer = await adapter.find(held);
  const { refusesRepetitionsMs, account } = adapter;
  const given = { answer: answer.kind, refusesRepetitionsMs, account };
  const order = await repeatOrder(contextOf(run), held.order, given);
  if (order !== null) return send(run, adapter, { ...held, order });
  const { asked_account, is_settled } = held.order;
  const isElsewhere = (answer.kind === "absent" || answer.kind === "unaskable") && asked_account !== account;
  if (!isElsewhere || is_settled) return { order: held.order, answer };
  return { order: held.order, answer: { kind: "unknown", reason: "it was asked with other credentials" } };
}

/** A process that was suspended since it recorded its attempt leaves the order to the next one. */
const FRESH_MS = 15 * 1_000;

async function send(run: Run, adapter: OpenProvider, { order, payments: own }: HeldOrder): Promise<Answered> {
  const ageMs = run.clock().getTime() - Date.parse(order.last_asked_at ?? "");
  if (!(ageMs >= 0 && ageMs < FRESH_MS)) {
    return { order, answer: { kind: "unknown", reason: "this server was suspended before it could ask" } };
  }
  const left = own.flatMap(({ payment, receiver }) =>
    receiver !== null && isLive(payment) ? [{ payment, ...receiver }] : [],
  );
  if (left.length === 0)
    return { order, answer: { kind: "refused", reason: "the receivers are gone", faults: [] } };
  return { order, answer: await sendInGroup(contextOf(run), adapter, { order, payments: left }) };
}

const HOUR_MS = 60 * 60 * 1_000;
/** Orders per query. */
const PAGE = 100;
/** How long other jobs wait for a provider's answer. */
const TURN_MS = 250;

/** An unexpected fault, while the server asked about payments of an account. */
export interface PaymentFault {
  error: unknown;
  /** The public id of the account. */
  account: string;
  /** null: it is about none. */
  payer: Payer | null;
}

/**
 * Sends and asks about all orders that are due, in all accounts. Other jobs go on while a provider is slow. A fault is
 * reported once for each account and provider, and does not stop the other orders and accounts.
 */
export async function* askOpenPayments(
  run: Run,
  report: (fault: PaymentFault) => void,
): AsyncGenerator<void> {
  for await (const account of servedAccounts(run.store)) {
    const faults = new Map<Payer | null, unknown>();
    const note = (payer: Payer | null) => (error: unknown) => {
      if (!faults.has(payer)) faults.set(payer, error);
    };
    for (const order of (await listDue(run, account).catch(note(null))) ?? []) {
      const work = advance(run, order).catch(note(order.payer));
      while (!(await isDone(work))) yield;
    }
    const accounts = checkDueAccounts({ ...contextOf(run), seal: run.seal }, account.id);
    const nextAccount = () => accounts.next().catch((error: unknown) => note("stripe")(error));
    while ((await nextAccount())?.done === false) yield;
    await tellUndecided(contextOf(run), account.id).catch(note(null));
    for (const [payer, error] of faults) report({ error, account: account.public_id, payer });
  }
}

/** The orders whose time has come, and those that a clock which was ahead has put off for too long. */
async function listDue({ store, clock }: Run, { id }: Account): Promise<PaymentOrder[]> {
  const now = clock();
  const latestMs = now.getTime() + LONGEST_WAIT_MS + HOUR_MS;
  const due = { limit: PAGE, between: upTo(now.toISOString()) };
  const putOff = { limit: PAGE, between: isoRange({ from: latestMs, before: null }) };
  return [
    ...(await store.page(paymentOrders, "due", id, [], due)),
    ...(await store.page(paymentOrders, "due", id, [], putOff)),
  ];
}

/** Whether work is done, after a short wait. */
async function isDone(work: Promise<void>): Promise<boolean> {
  const waiting = new AbortController();
  const turn = sleep(TURN_MS, false, { signal: waiting.signal });
  turn.catch(() => {}); // the work finished first
  try {
    return await Promise.race([work.then(() => true), turn]);
  } finally {
    waiting.abort();
  }
}

function contextOf({ clock, ...run }: Run): Context {
  return { ...run, now: clock() };
}

function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

/**
 * Sends an order, with the group of its batch if the provider has groups. An opened group that was not written down stays
 * empty at the provider, which does no harm.
 */
async function sendInGroup(context: Context, adapter: OpenProvider, sending: Sending): Promise<Answer> {
  const { groups, account } = adapter;
  if (groups === undefined) return adapter.send(sending);
  const choice = { order: sending.order, account, mostDrafts: groups.mostDrafts };
  let group = await useGroup(context, choice);
  if (group === null) {
    const name = await nextGroupName(context.store, sending.order);
    const groupId = await groups.open(name, sending.order.currency);
    if (groupId === null) return { kind: "unknown", reason: "it has opened no group for the batch" };
    group = await addGroup(context, { ...choice, group_id: groupId });
  }
  const answer = await adapter.send({ ...sending, group_id: group.group_id });
  if (answer.kind === "taken" || (await groups.stateOf(group.group_id)) !== "closed") return answer;
  // A person has closed it there, so the draft goes into another one.
  await closeGroup(context, group);
  return { kind: "unknown", reason: "the group of the batch was closed there" };
}

/** Closes the groups of an order's batch that get no draft any more, so that a person can fund them. */
async function closeGroups(
  context: Context,
  adapter: OpenProvider,
  { order, isWhole = false }: { order: PaymentOrder; isWhole?: boolean },
): Promise<void> {
  const { groups, account } = adapter;
  if (groups === undefined) return;
  for (const group of await listCompleteGroups(context, order, { account, isWhole })) {
    if (await isOver(groups, group)) await closeGroup(context, group);
  }
}

/** An empty group is left alone: it can't be funded, and a later draft gets another one. */
async function isOver(
  groups: NonNullable<OpenProvider["groups"]>,
  { group_id }: PaymentGroup,
): Promise<boolean> {
  const state = await groups.stateOf(group_id);
  return state === "open" ? groups.close(group_id) : state !== "unknown";
}
