import { Failure } from "../../../failure.ts";
import type { View } from "../../../storage/store.ts";
import { campaigns } from "../../program/campaign/campaign.ts";
import type { Account } from "../../program/account/account.ts";
import { dayIn, timeZoneOf } from "../../program/account/time-zone.ts";
import { loadPromoter, promoterName, type Promoter } from "../../people/promoter/promoter.ts";
import { loadPayout, payouts, type Payout } from "../payout/payout.ts";
import { agreementState } from "./agreement.ts";
import { invoicingOf } from "./company.ts";
import { findInvoiceOf, isInvoiceable, type Invoice, type Paper, type PaperParty } from "./invoice.ts";
import { companyParty, paperHtml, templateOf } from "./template.ts";
import { vatCheckOf } from "../../people/vat-check.ts";
import { invoiceDetailFaults } from "../../people/vat-number.ts";

/** The fields of an invoice that its paper shows. */
export type Shown = Omit<Paper, "agreement" | "company" | "promoter" | "lines" | "creditedNumber">;

/** Everything that the paper of an invoice about these payouts says now. */
export async function paperOf(
  view: View,
  account: Account,
  { shown, promoterId, payouts: about }: { shown: Shown; promoterId: number; payouts: Payout[] },
): Promise<Paper> {
  const promoter = await loadPromoter(view, account.id, promoterId);
  const state = await agreementState(view, promoter);
  const zone = timeZoneOf(account);
  const lines = [];
  for (const payout of about) {
    const campaign = await view.get(campaigns, account.id, payout.campaignId);
    lines.push({
      payoutId: payout.id,
      campaign: campaign?.name ?? "",
      periodStart: dayIn(zone, new Date(payout.periodStart)),
      periodEnd: dayIn(zone, new Date(payout.periodEnd)),
      cents: payout.amount,
    });
  }
  const agreedAt = state?.agreedAt ?? null;
  const { kind, number, date, currency, taxRateHundredths, totalCents, totalInclTaxCents } = shown;
  return {
    kind,
    number,
    date,
    currency,
    taxRateHundredths,
    totalCents,
    totalInclTaxCents,
    creditedNumber: null,
    agreement:
      state === null || agreedAt === null
        ? null
        : { version: state.version, date: dayIn(zone, new Date(agreedAt)) },
    company: companyParty(invoicingOf(account)),
    promoter: promoterParty(promoter),
    lines,
  };
}

/** The same as safe HTML, by the company's template. */
export async function writePaper(view: View, account: Account, paper: Paper): Promise<string> {
  return paperHtml(await templateOf(view, account.id), paper);
}

/** The paper of payouts that have no invoice yet, as safe HTML. Only those of the first one's tax rate count. */
export async function draftHtml(
  view: View,
  account: Account,
  { promoterId, payouts: given }: { promoterId: number; payouts: Payout[] },
): Promise<string> {
  const same = given.filter(({ taxRateHundredths }) => taxRateHundredths === given[0]?.taxRateHundredths);
  const shown: Shown = {
    kind: "invoice",
    number: null,
    date: null,
    currency: account.currency,
    ...sumsOf(same),
  };
  return writePaper(view, account, await paperOf(view, account, { shown, promoterId, payouts: same }));
}

/** The most payouts that a preview shows. */
const PREVIEWED = 100;

/**
 * Chosen payouts of a promoter, or the paid ones without an invoice.
 *
 * @throws Failure `not_found` for a payout of another promoter, `refused` if there are none
 */
export async function payoutsFor(
  view: View,
  accountId: number,
  { promoterId, payoutIds }: { promoterId: number; payoutIds: number[] | undefined },
): Promise<Payout[]> {
  await loadPromoter(view, accountId, promoterId);
  const found: Payout[] = [];
  for (const id of payoutIds ?? []) {
    const payout = await loadPayout(view, accountId, id);
    if (payout.promoterId !== promoterId) throw new Failure("not_found", "Payout not found.");
    found.push(payout);
  }
  if (payoutIds === undefined) {
    for (const payout of await view.list(payouts, "promoter", accountId, [promoterId])) {
      if (found.length === PREVIEWED) break;
      if (isInvoiceable(payout) && (await findInvoiceOf(view, payout)) === null) found.push(payout);
    }
  }
  if (found.length === 0) throw new Failure("refused", "There is nothing to invoice");
  return found;
}

/** The sums of payouts of one tax rate. The tax is that of the payouts, so that the invoice says what was paid. */
export function sumsOf(
  about: Payout[],
): Pick<Invoice, "taxRateHundredths" | "totalCents" | "totalInclTaxCents"> {
  return {
    taxRateHundredths: about[0]?.taxRateHundredths ?? 0,
    totalCents: about.reduce((sum, { amount }) => sum + amount, 0),
    totalInclTaxCents: about.reduce((sum, { totalInclTax }) => sum + totalInclTax, 0),
  };
}

/**
 * What an invoice still lacks before it can get a number, in words.
 *
 * @see docs/spec/money.md "Invoices", 3
 */
export async function lacksOf(
  view: View,
  account: Account,
  { promoterId, taxRateHundredths }: Pick<Invoice, "promoterId" | "taxRateHundredths">,
): Promise<string[]> {
  const promoter = await loadPromoter(view, account.id, promoterId);
  const { legalName, address, country } = invoicingOf(account);
  const state = await agreementState(view, promoter);
  return [
    legalName && address && country ? null : "The company's legal name, address and country are not set",
    state === null ? "The company has not published its agreement to self-billing" : null,
    state !== null && state.agreedAt === null
      ? `The promoter has not agreed to version ${state.version} of the agreement`
      : null,
    ...promoterLacks(promoter, { account, isTaxed: taxRateHundredths > 0 }),
  ].filter((lack) => lack !== null);
}

/** What a person should know before a draft gets a number, in words. It does not prevent that. */
export function warningsOf(promoter: Promoter | null): string[] {
  const isUnknown = promoter !== null && vatCheckOf(promoter)?.status === "invalid";
  return isUnknown ? [`VIES does not know the promoter's VAT number ${promoter.profile.vatId}`] : [];
}

/** @throws Failure `refused` */
export async function refuseIncomplete(...given: Parameters<typeof lacksOf>): Promise<void> {
  const lacks = await lacksOf(...given);
  if (lacks.length > 0) throw new Failure("refused", `${lacks.join(". ")}.`);
}

function promoterLacks(
  { profile, invoiceDetailsStatus: status }: Promoter,
  { account, isTaxed }: { account: Account; isTaxed: boolean },
): (string | null)[] {
  const { companyName, firstName, lastName, address, country, vatId, companyNumber } = profile;
  const faults = invoiceDetailFaults(profile);
  return [
    companyName || (firstName && lastName) ? null : "The promoter's name is not known",
    address ? null : "The promoter's address is not known",
    country ? null : "The promoter's country is not known",
    faults["country"] ? `The promoter's country ${faults["country"][0]}` : null,
    faults["vat_id"] ? `The promoter's VAT number ${faults["vat_id"][0]}` : null,
    isTaxed && !vatId && !companyNumber ? "The promoter has no VAT number and no registration number" : null,
    status === "denied" ? "The promoter's invoice details were denied" : null,
    status === "pending" && account.requiresInvoiceDetails
      ? "The promoter's invoice details are not approved yet"
      : null,
  ];
}

function promoterParty(promoter: Promoter): PaperParty {
  const { profile } = promoter;
  return {
    name: profile.companyName ?? promoterName(promoter),
    address: profile.address ?? "",
    country: profile.country,
    vatId: profile.vatId,
    number: profile.companyNumber,
  };
}
