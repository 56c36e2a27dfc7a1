import { Failure, isOutage } from "../../../failure.ts";
import type { Transaction } from "../../../storage/store.ts";
import { SYSTEM, systemChance, type Context, type JobContext } from "../../context.ts";
import { accounts, servedAccounts, type Account } from "../../program/account/account.ts";
import { dayIn, timeZoneOf } from "../../program/account/time-zone.ts";
import { payouts, loadPayout, type Payout } from "../payout/payout.ts";
import { invoicingOf } from "./company.ts";
import {
  invoicedPayouts,
  invoiceName,
  invoices,
  invoiceSeries,
  loadInvoice,
  lockInvoice,
  findInvoiceOf,
  isInvoiceable,
  refuseInvoiced,
  type Invoice,
  type Paper,
} from "./invoice.ts";
import { lacksOf, paperOf, refuseIncomplete, sumsOf, writePaper } from "./paper.ts";
import { recordBatch, type BatchProcess } from "../../batch.ts";

/**
 * Gives a draft its number, and keeps the paper as it is sent. From then on it never changes.
 *
 * @throws Failure `not_found`, or `refused` if it has a number or lacks something
 */
export async function finalizeInvoice(
  tx: Transaction,
  context: Context,
  accountId: number,
  id: number,
): Promise<Invoice> {
  const draft = await loadInvoice(tx, accountId, id);
  if (draft.status !== "draft")
    throw new Failure(
      "refused",
      `${invoiceName(draft)} is ${draft.status}, and only drafts can be finalized`,
    );
  const account = await loadOwn(tx, accountId);
  await refuseIncomplete(tx.view, account, draft);
  return finalizeWithin(tx, context, { account, draft });
}

/**
 * Cancels an invoice by a credit note, which gets the next number of the series. Its payouts may be invoiced again.
 *
 * @throws Failure `not_found`, or `refused` for a draft, a voided invoice or a credit note
 */
export async function voidInvoice(
  tx: Transaction,
  context: Context,
  accountId: number,
  id: number,
): Promise<Invoice> {
  const account = await loadOwn(tx, accountId);
  const invoice = await lockInvoice(tx, accountId, id);
  if (invoice.kind === "credit_note") throw new Failure("refused", "A credit note can't be voided");
  if (invoice.status === "draft") throw new Failure("refused", "A draft can't be voided; delete it");
  if (invoice.status === "voided") throw new Failure("refused", `${invoiceName(invoice)} is voided already`);
  const drawn = await drawNumber(tx, context, account);
  const creditNote = await creditNoteOf(tx, context, { account, invoice, drawn });
  await tx.insert(invoices, creditNote);
  const voided: Invoice = { ...invoice, status: "voided", credit_note_id: creditNote.id };
  await tx.put(invoices, voided);
  await release(tx, invoice);
  return voided;
}

/** Deletes a draft. Its payouts may be invoiced again. @throws Failure `not_found`, or `refused` for any other */
export async function removeInvoice(
  tx: Transaction,
  _: Context,
  accountId: number,
  id: number,
): Promise<Invoice> {
  const draft = await lockInvoice(tx, accountId, id);
  if (draft.status !== "draft")
    throw new Failure("refused", `${invoiceName(draft)} has a number, so it stays. Void it instead`);
  await release(tx, draft);
  await tx.remove(invoices, accountId, id);
  return draft;
}

/** Makes invoices of chosen payouts of one promoter: one for each tax rate. Those that lack nothing get a number. */
async function invoiceWithin(
  tx: Transaction,
  context: Context,
  { account, paid }: { account: Account; paid: Payout[] },
): Promise<Invoice[]> {
  const made: Invoice[] = [];
  for (const same of byRate(paid)) {
    const { promoter_id } = same[0]!;
    const payoutIds = same.map(({ id }) => id);
    const draft: Invoice = {
      account_id: account.id,
      id: await context.store.nextId("invoice"),
      kind: "invoice",
      status: "draft",
      promoter_id,
      payout_ids: payoutIds,
      currency: account.currency,
      ...sumsOf(same),
      number: null,
      year: null,
      place: null,
      date: null,
      details: null,
      credited_invoice_id: null,
      credit_note_id: null,
      created_at: context.now.toISOString(),
    };
    await tx.insert(invoices, draft);
    for (const { id, paid_at } of same)
      await tx.put(invoicedPayouts, {
        account_id: account.id,
        payout_id: id,
        promoter_id,
        invoice_id: draft.id,
        paid_at: paid_at ?? draft.created_at,
      });
    const lacks = await lacksOf(tx.view, account, draft);
    made.push(lacks.length > 0 ? draft : await finalizeWithin(tx, context, { account, draft }));
  }
  return made;
}

/** An account within a transaction. @throws Failure `not_found` */
async function loadOwn(tx: Transaction, accountId: number): Promise<Account> {
  const account = await tx.get(accounts, SYSTEM, accountId);
  if (account === null) throw new Failure("not_found", "Account not found.");
  return account;
}

async function finalizeWithin(
  tx: Transaction,
  context: Context,
  { account, draft }: { account: Account; draft: Invoice },
): Promise<Invoice> {
  const drawn = await drawNumber(tx, context, account);
  const about = await payoutsOf(tx, draft);
  const shown = { ...draft, ...drawn };
  const paper = await paperOf(tx.view, account, { shown, promoter_id: draft.promoter_id, payouts: about });
  const invoice: Invoice = {
    ...draft,
    ...drawn,
    status: about.every(({ status }) => status === "completed") ? "paid" : "open",
    details: { paper, html: await writePaper(tx.view, account, paper) },
  };
  await tx.put(invoices, invoice);
  return invoice;
}

/** A number with its place in the series of a year. */
type Drawn = Pick<Invoice, "number" | "year" | "place" | "date">;

const PLACE_DIGITS = 6;

/**
 * Draws the next number of the present year. The series is locked, and changes in the same commit as the invoice, so
 * that no number is drawn twice or lost.
 */
async function drawNumber(tx: Transaction, { now }: Context, account: Account): Promise<Drawn> {
  const date = dayIn(timeZoneOf(account), now);
  const year = Number(date.slice(0, 4));
  const series = await tx.lock(invoiceSeries, account.id, year);
  const place = (series?.last ?? 0) + 1;
  await tx.put(invoiceSeries, { account_id: account.id, year, last: place });
  const number = `${invoicingOf(account).prefix}-${year}-${String(place).padStart(PLACE_DIGITS, "0")}`;
  return { number, year, place, date };
}

/** The credit note that cancels an invoice. It says the same with negative amounts, even if its data have changed since. */
async function creditNoteOf(
  tx: Transaction,
  context: Context,
  { account, invoice, drawn }: { account: Account; invoice: Invoice; drawn: Drawn },
): Promise<Invoice> {
  const creditNote: Invoice = {
    ...invoice,
    ...drawn,
    id: await context.store.nextId("invoice"),
    kind: "credit_note",
    status: "paid",
    total_cents: -invoice.total_cents,
    total_incl_tax_cents: -invoice.total_incl_tax_cents,
    credited_invoice_id: invoice.id,
    created_at: context.now.toISOString(),
  };
  if (invoice.details === null) return creditNote;
  const { kind, total_cents, total_incl_tax_cents } = creditNote;
  const paper: Paper = {
    ...invoice.details.paper,
    kind,
    number: drawn.number,
    date: drawn.date,
    total_cents,
    total_incl_tax_cents,
    credited_number: invoice.number,
    lines: invoice.details.paper.lines.map((line) => ({ ...line, cents: -line.cents })),
  };
  return { ...creditNote, details: { paper, html: await writePaper(tx.view, account, paper) } };
}

async function payoutsOf(tx: Transaction, { account_id, payout_ids }: Invoice): Promise<Payout[]> {
  const found = [];
  for (const id of payout_ids) found.push(await tx.get(payouts, account_id, id));
  return found.filter((payout) => payout !== null);
}

async function release(tx: Transaction, { account_id, payout_ids }: Invoice): Promise<void> {
  for (const id of payout_ids) await tx.remove(invoicedPayouts, account_id, id);
}

function byRate(paid: Payout[]): Payout[][] {
  const groups = new Map<number, Payout[]>();
  for (const payout of paid) {
    const group = groups.get(payout.tax_rate_hundredths) ?? [];
    groups.set(payout.tax_rate_hundredths, [...group, payout]);
  }
  return [...groups.values()];
}

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
  const { account_id, id: payoutId, promoter_id } = after;
  const invoice = await findInvoiceOf(tx, after);
  if (invoice !== null) {
    if (invoice.status !== "open" && invoice.status !== "paid") return;
    const isAllPaid = isPaid && (await arePaid(tx, account_id, invoice.payout_ids));
    const status = isAllPaid ? "paid" : "open";
    if (status !== invoice.status) await tx.put(invoices, { ...invoice, status });
    return;
  }
  if (!isPaid) return tx.remove(invoicedPayouts, account_id, payoutId);
  const account = await tx.get(accounts, SYSTEM, account_id);
  if (account?.invoicing?.is_on !== true || after.unit !== "cash" || after.paid_at === null) return;
  await tx.put(invoicedPayouts, {
    account_id,
    payout_id: payoutId,
    promoter_id,
    invoice_id: null,
    paid_at: after.paid_at,
  });
}

/** Payouts of one payment are paid one after the other. This is more than that takes. */
const REST_MS = 10 * 60 * 1_000;

/** Makes the invoices of payouts that were paid some minutes ago: one for each promoter and tax rate. */
export async function* invoiceDue({ store, clock }: JobContext): AsyncGenerator<void> {
  for await (const account of servedAccounts(store)) {
    for (;;) {
      const now = clock();
      const [first] = await store.page(invoicedPayouts, "waiting", account.id, [], { limit: 1 });
      if (first === undefined || Date.parse(first.paid_at) > now.getTime() - REST_MS) break;
      await invoiceWaiting({ store, now, chance: systemChance }, account.id, first.promoter_id);
      yield;
    }
  }
}

/**
 * Gives a number to each draft that lacks nothing any more and whose payouts are paid, in the accounts that want it.
 *
 * @see docs/spec/money.md "Invoices", 3
 */
export async function* finalizeDrafts({ store, clock }: JobContext): AsyncGenerator<void> {
  for await (const account of servedAccounts(store)) {
    const { is_on, finalizes_drafts } = invoicingOf(account);
    if (!is_on || finalizes_drafts !== true) continue;
    for await (const drafts of store.scan(invoices, "status", account.id, ["draft"])) {
      for (const { id, payout_ids } of drafts) {
        if (await store.transact((tx) => arePaid(tx, account.id, payout_ids)))
          await finalizeDraft({ store, now: clock(), chance: systemChance }, account.id, id);
        yield;
      }
    }
  }
}

/** A draft that still lacks something stays one. */
async function finalizeDraft(context: Context, accountId: number, id: number): Promise<void> {
  try {
    await context.store.transact((tx) => finalizeInvoice(tx, context, accountId, id));
  } catch (error) {
    if (!(error instanceof Failure) || isOutage(error)) throw error;
  }
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
    else groups.set(payout.promoter_id, [...(groups.get(payout.promoter_id) ?? []), id]);
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
      const payout = await tx.get(payouts, accountId, row.payout_id);
      if (payout !== null && isInvoiceable(payout)) paid.push(payout);
      // A row without its payout would wait for ever.
      else await tx.remove(invoicedPayouts, accountId, row.payout_id);
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
