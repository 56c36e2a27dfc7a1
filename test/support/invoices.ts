import { rowOf } from "../../server/storage/sealed.ts";
import { TEST_SEAL } from "./memory-engine.ts";
import { taxDetails } from "../../server/domain/ledger/invoice/tax-details.ts";
import {
  voidInvoice,
  createInvoices,
  finalizeDrafts,
  invoiceDue,
} from "../../server/domain/ledger/invoice/changes.ts";
import { invoices } from "../../server/domain/ledger/invoice/invoice.ts";
import { Failure } from "../../server/failure.ts";
import { agree } from "../../server/domain/ledger/invoice/company.ts";
import { newProfile, promoters, type Promoter } from "../../server/domain/people/promoter/promoter.ts";
import type { TestApp } from "./app.ts";
import { addPromoter, changeAccount } from "./payouts.ts";
import { company } from "./v2.ts";

/** The settings of a company that writes invoices, and what else its answer shows. */
export const INVOICING = {
  is_on: true,
  finalizes_drafts: false,
  legal_name: "Acme Ltd",
  address: "1 Main Street\nDublin",
  country: "IE",
  vat_id: "IE1234567A",
  tax_number: null,
  prefix: "AFF",
  form_1099_threshold: 200_000,
  agreement: "We write your invoices.",
  agreement_version: 1,
};

/** Turns invoices on. */
export async function turnInvoicesOn(app: TestApp, changes: object = {}): Promise<void> {
  const { agreement_version: _, ...given } = { ...INVOICING, ...changes };
  const { status, body } = await company(app, "PUT /invoicing", given);
  if (status !== 200) throw new Error(JSON.stringify(body));
}

/** A promoter who lacks nothing for an invoice, except the agreement. */
export async function addSupplier(app: TestApp, email = "jane@example.com"): Promise<Promoter> {
  const account = await changeAccount(app.context, app.account_id, {});
  return addPromoter(app.context, account, {
    email,
    profile: newProfile({
      first_name: "Jane",
      last_name: "Doe",
      address: "Hauptstr. 1, Berlin",
      country: "DE",
      vat_id: "DE123456789",
    }),
  });
}

/** The promoter agrees to a version of the agreement. */
export function agreeTo({ context }: TestApp, promoter: Promoter, version = 1) {
  return context.store.transact((tx) => agree(tx, context, promoter, version));
}

/** Runs the job that makes invoices. */
export async function runInvoices(app: TestApp): Promise<void> {
  for await (const _ of invoiceDue({ store: app.services.store, clock: app.services.clock }));
}

/** Runs the job that finalizes drafts. */
export async function runDrafts(app: TestApp): Promise<void> {
  for await (const _ of finalizeDrafts({ store: app.services.store, clock: app.services.clock }));
}

/** Names a promoter's company. */
export async function nameCompany(app: TestApp, promoter: Promoter, companyName: string): Promise<void> {
  const renamed = { ...promoter, profile: { ...promoter.profile, company_name: companyName } };
  await app.context.store.transact((tx) => tx.put(promoters, renamed));
}

/** A promoter's tax form, and its row as it is stored, or null. */
export async function storedTaxForm(app: TestApp, promoterId: number) {
  const form = await app.services.store.get(taxDetails, app.account_id, promoterId);
  return form && { form, document: rowOf(taxDetails, form, TEST_SEAL).join(" ") };
}

/** Invoices three paid payouts, voids the oldest invoice, and invoices its payouts again. */
export async function invoiceAndVoid({ context, account_id }: TestApp): Promise<void> {
  await createInvoices(context, account_id, [1, 2]);
  await createInvoices(context, account_id, [3]);
  const [oldest] = await context.store.page(invoices, "id", account_id, [], { limit: 1 });
  await context.store
    .transact((tx) => voidInvoice(tx, context, account_id, oldest!.id))
    .catch((error: unknown) => {
      // It is voided already if the work is repeated.
      if (!(error instanceof Failure) || error.kind !== "refused") throw error;
    });
  await createInvoices(context, account_id, [1, 2, 3]);
}
