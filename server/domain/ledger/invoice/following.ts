import { Failure, isOutage } from "../../../failure.ts";
import type { Store, Transaction } from "../../../storage/store.ts";
import { recordBatch, type BatchProcess } from "../../batch.ts";
import { SYSTEM, systemChance, type Context } from "../../context.ts";
import { accounts, servedAccounts } from "../../program/account/account.ts";
import { loadPayout, payouts, type Payout } from "../payout/payout.ts";
import { finalizeInvoice, invoiceWithin, loadOwn } from "./changes.ts";
import { invoicingOf } from "./company.ts";
import { findInvoiceOf, invoicedPayouts, invoices, isInvoiceable, refuseInvoiced } from "./invoice.ts";

/**
 * Follows a payout that has moved: a paid one waits for its invoice, and an invoice is paid while all its payouts are.
 *
 * @see docs/spec/money.md "Invoices", 2
 */
export async function followPayout(
  tx: Transaction,
  { before, after }: { before: Payout; after: Payout },
): Promise<void> {
  const isPaid = after.status === "completed";
  if (isPaid === (before.status === "completed")) return;
  const { accountId, id: payoutId, promoterId } = after;
  const invoice = await findInvoiceOf(tx, after);
  if (invoice !== null) {
    if (invoice.status !== "open" && invoice.status !== "paid") return;
    const isAllPaid = isPaid && (await arePaid(tx, accountId, invoice.payoutIds));
    const status = isAllPaid ? "paid" : "open";
    if (status !== invoice.status) await tx.put(invoices, { ...invoice, status });
    return;
  }
  if (!isPaid) return tx.remove(invoicedPayouts, accountId, payoutId);
  const account = await tx.get(accounts, SYSTEM, accountId);
  if (account?.invoicing?.isOn !== true || after.unit !== "cash" || after.paidAt === null) return;
  await tx.put(invoicedPayouts, { accountId, payoutId, promoterId, invoiceId: null, paidAt: after.paidAt });
}

/** Payouts of one payment are paid one after the other. This is more than that takes. */
const REST_MS = 10 * 60 * 1_000;

/** Makes the invoices of payouts that were paid some minutes ago: one for each promoter and tax rate. */
export async function* invoiceDue({
  store,
  clock,
}: {
  store: Store;
  clock: () => Date;
}): AsyncGenerator<void> {
  for await (const account of servedAccounts(store)) {
    for (;;) {
      const now = clock();
      const [first] = await store.page(invoicedPayouts, "waiting", account.id, [], { limit: 1 });
      if (first === undefined || Date.parse(first.paidAt) > now.getTime() - REST_MS) break;
      await invoiceWaiting({ store, now, chance: systemChance }, account.id, first.promoterId);
      yield;
    }
  }
}

/**
 * Gives a number to each draft that lacks nothing any more and whose payouts are paid, in the accounts that want it.
 *
 * @see docs/spec/money.md "Invoices", 3
 */
export async function* finalizeDrafts({
  store,
  clock,
}: {
  store: Store;
  clock: () => Date;
}): AsyncGenerator<void> {
  for await (const account of servedAccounts(store)) {
    const { isOn, finalizesDrafts } = invoicingOf(account);
    if (!isOn || finalizesDrafts !== true) continue;
    for await (const drafts of store.scan(invoices, "status", account.id, ["draft"])) {
      for (const { id, payoutIds } of drafts) {
        if (await store.transact((tx) => arePaid(tx, account.id, payoutIds)))
          await finalizeInvoice({ store, now: clock(), chance: systemChance }, account.id, id).catch(
            keepDraft,
          );
        yield;
      }
    }
  }
}

/** A draft that still lacks something stays one. */
function keepDraft(error: unknown): void {
  if (!(error instanceof Failure) || isOutage(error)) throw error;
}

/**
 * Makes invoices of chosen paid payouts. Those that can't get one are named in the result.
 *
 * @see docs/spec/v2.md "Invoices"
 */
export async function createInvoices(
  context: Context,
  accountId: number,
  ids: number[],
): Promise<BatchProcess> {
  const faults = new Map<number, string>();
  const groups = new Map<number, number[]>();
  for (const id of ids) {
    const payout = await context.store.get(payouts, accountId, id);
    if (payout === null) faults.set(id, "Payout not found.");
    else groups.set(payout.promoterId, [...(groups.get(payout.promoterId) ?? []), id]);
  }
  for (const group of groups.values()) {
    for (const [id, fault] of await invoiceGroup(context, accountId, group)) faults.set(id, fault);
  }
  const errors = ids.flatMap((id) => (faults.has(id) ? [`${id}: ${faults.get(id)}`] : []));
  return recordBatch(context, accountId, { label: "invoice/create", total: ids.length, errors });
}

function invoiceWaiting(context: Context, accountId: number, promoterId: number): Promise<void> {
  return context.store.transact(async (tx) => {
    const account = await loadOwn(tx, accountId);
    await tx.lock(accounts, SYSTEM, accountId);
    const paid: Payout[] = [];
    for (const row of await tx.view.list(invoicedPayouts, "promoter", accountId, [promoterId])) {
      const payout = await tx.get(payouts, accountId, row.payoutId);
      if (payout !== null && isInvoiceable(payout)) paid.push(payout);
      // A row without its payout would wait for ever.
      else await tx.remove(invoicedPayouts, accountId, row.payoutId);
    }
    await invoiceWithin(tx, context, { account, paid });
  });
}

/** Makes the invoices of one promoter's payouts. Returns the ids of those that got none, with the reason. */
function invoiceGroup(context: Context, accountId: number, ids: number[]): Promise<Map<number, string>> {
  return context.store.transact(async (tx) => {
    await tx.lock(accounts, SYSTEM, accountId);
    const account = await loadOwn(tx, accountId);
    const faults = new Map<number, string>();
    const paid: Payout[] = [];
    for (const id of ids) {
      try {
        const payout = await loadPayout(tx, accountId, id);
        if (!isInvoiceable(payout)) throw new Failure("refused", "Only paid payouts of money have invoices");
        await refuseInvoiced(tx, payout);
        paid.push(payout);
      } catch (error) {
        if (!(error instanceof Failure) || isOutage(error)) throw error;
        faults.set(id, error.message);
      }
    }
    await invoiceWithin(tx, context, { account, paid });
    return faults;
  });
}

async function arePaid(tx: Transaction, accountId: number, ids: number[]): Promise<boolean> {
  for (const id of ids) {
    const payout = await tx.get(payouts, accountId, id);
    if (payout !== null && payout.status !== "completed") return false;
  }
  return true;
}
