import { Failure, type FieldErrors } from "../../../failure.ts";
import type { Transaction, View, Reader } from "../../../storage/store.ts";
import { integer, table, text, time, type RowOf } from "../../../storage/table.ts";
import { changeAccount, accounts, type Account, type Invoicing } from "../../program/account/account.ts";
import { SYSTEM, type Context } from "../../context.ts";
import { countryFault, vatFault } from "../../people/vat-number.ts";
import { loadPromoterInUse } from "../../people/promoter/promoter.ts";

/** Changes to the settings. Undefined fields stay unchanged. */
export type InvoicingChanges = { [Field in keyof Invoicing]?: Invoicing[Field] | undefined };

const NONE: Invoicing = {
  is_on: false,
  finalizes_drafts: false,
  legal_name: "",
  address: "",
  country: "",
  vat_id: null,
  tax_number: null,
  prefix: "AFF",
  // For payments since 2026. Before, it was 600 dollars.
  threshold_cents: 200_000,
};

/** The account's settings for invoices. */
export function invoicingOf({ invoicing }: Pick<Account, "invoicing">): Invoicing {
  return { ...NONE, ...invoicing };
}

/**
 * Changes the settings, and publishes a changed agreement, all or nothing. Invoices that have a number stay as they are.
 *
 * @throws Failure `not_found`, `invalid`, or `refused` to turn invoices on without an agreement
 */
export async function updateInvoicing(
  tx: Transaction,
  context: Context,
  accountId: number,
  { changes, agreement }: { changes: InvoicingChanges; agreement?: string | undefined },
): Promise<Account> {
  const account = await tx.lock(accounts, SYSTEM, accountId);
  if (account === null) throw new Failure("not_found", "Account not found.");
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const invoicing: Invoicing = {
    ...invoicingOf(account),
    ...(Object.fromEntries(given) as Partial<Invoicing>),
  };
  const fields = faultsOf(invoicing);
  if (Object.keys(fields).length > 0) {
    const words = Object.entries(fields).map((fault) => fault.flat().join(" "));
    throw new Failure("invalid", `Validation failed: ${words.join(", ")}`, fields);
  }
  if (agreement !== undefined)
    await publishWithin(tx, context, { account_id: accountId, kind: "agreement", text: agreement });
  if (invoicing.is_on && (await latestText(tx.view, accountId, "agreement")) === null)
    throw new Failure("refused", "Publish the agreement that promoters accept first");
  return given.length === 0 ? account : changeAccount(tx, accountId, { invoicing });
}

/** An invoice can't be written without these. */
function faultsOf({ is_on, legal_name, address, country, vat_id, prefix }: Invoicing): FieldErrors {
  const fields: FieldErrors = {};
  if (is_on && legal_name === "") fields["legal_name"] = ["can't be blank"];
  if (is_on && address === "") fields["address"] = ["can't be blank"];
  if (country !== "" || is_on) {
    const fault = countryFault(country);
    if (fault !== null) fields["country"] = [fault];
  }
  const fault = vat_id === null ? null : vatFault(country, vat_id);
  if (fault !== null) fields["vat_id"] = [fault];
  if (!/^[A-Za-z0-9/-]{1,12}$/.test(prefix)) fields["prefix"] = ["may have 1 to 12 letters, digits, - and /"];
  return fields;
}

export const INVOICE_TEXTS = ["agreement", "template"] as const;

const invoiceTextFields = {
  kind: text<(typeof INVOICE_TEXTS)[number]>(),
  /** From 1. */
  version: integer(),
  text: text(),
  created_at: time(),
};

/**
 * A version of a text about invoices: the agreement that promoters accept, or the template of the paper. Versions
 * never change, because agreements and invoices name them.
 */
export type InvoiceText = RowOf<typeof invoiceTextFields>;

export const invoiceTexts = table("invoice-text", invoiceTextFields, {
  key: ["kind", "text_version"],
  derived: {
    text_version: ["integer", ({ version }) => version],
  },
});

/** The newest version of a text, or null if there is none. */
export async function latestText(
  view: View,
  accountId: number,
  kind: InvoiceText["kind"],
): Promise<InvoiceText | null> {
  const [latest] = await view.page(invoiceTexts, "id", accountId, [kind], { limit: 1, reverse: true });
  return latest ?? null;
}

/** Publishes a new version of a text, unless it is the present one. */
export async function publishText(
  tx: Transaction,
  context: Context,
  accountId: number,
  given: Pick<InvoiceText, "kind" | "text">,
): Promise<InvoiceText> {
  await tx.lock(accounts, SYSTEM, accountId);
  return publishWithin(tx, context, { account_id: accountId, ...given });
}

async function publishWithin(
  tx: Transaction,
  { now }: Context,
  { account_id, kind, text }: Pick<InvoiceText, "account_id" | "kind" | "text">,
): Promise<InvoiceText> {
  const latest = await latestText(tx.view, account_id, kind);
  if (latest?.text === text) return latest;
  const version = (latest?.version ?? 0) + 1;
  const published: InvoiceText = { account_id, kind, version, text, created_at: now.toISOString() };
  await tx.insert(invoiceTexts, published);
  return published;
}

const invoiceAgreementFields = {
  promoter_id: integer(),
  version: integer(),
  agreed_at: time(),
};

/** A promoter's consent that the company writes their invoices, under one version of its text. Kept for ever. */
export type InvoiceAgreement = RowOf<typeof invoiceAgreementFields>;

export const invoiceAgreements = table("invoice-agreement", invoiceAgreementFields, {
  key: ["promoter_id", "text_version"],
  derived: {
    text_version: ["integer", ({ version }) => version],
  },
});

/** The company's present text, and since when a promoter agrees to it. */
export interface AgreementState {
  version: number;
  text: string;
  publishedAt: string;
  /** Null: not yet. */
  agreed_at: string | null;
}

/** The agreement that a promoter sees, or null if the company has none. */
export async function agreementState(
  view: View,
  { account_id, id }: { account_id: number; id: number },
): Promise<AgreementState | null> {
  const latest = await latestText(view, account_id, "agreement");
  if (latest === null) return null;
  const { version, text, created_at: publishedAt } = latest;
  const own = await findAgreement(view, { account_id, promoter_id: id, version });
  return { version, text, publishedAt, agreed_at: own?.agreed_at ?? null };
}

/**
 * Records that a promoter agrees to the newest text. A repetition changes nothing.
 *
 * @throws Failure `not_found`, `refused` for an archived promoter, or if the text has changed since they read it
 */
export async function agree(
  tx: Transaction,
  { now }: Context,
  { account_id, id }: { account_id: number; id: number },
  version: number,
): Promise<AgreementState> {
  await loadPromoterInUse(tx, account_id, id);
  const latest = await latestText(tx.view, account_id, "agreement");
  if (latest === null) throw new Failure("not_found", "There is no agreement.");
  if (latest.version !== version)
    throw new Failure("refused", "The agreement has changed. Read the new version first.");
  const before = await findAgreement(tx, { account_id, promoter_id: id, version });
  const agreedAt = before?.agreed_at ?? now.toISOString();
  if (before === null)
    await tx.insert(invoiceAgreements, { account_id, promoter_id: id, version, agreed_at: agreedAt });
  return { version, text: latest.text, publishedAt: latest.created_at, agreed_at: agreedAt };
}

function findAgreement(
  reader: Reader,
  { account_id, promoter_id, version }: Pick<InvoiceAgreement, "account_id" | "promoter_id" | "version">,
): Promise<InvoiceAgreement | null> {
  return reader.get(invoiceAgreements, account_id, promoter_id, version);
}
