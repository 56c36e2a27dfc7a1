import { Failure } from "../../../failure.ts";
import type { View } from "../../../storage/store.ts";
import { campaigns } from "../../program/campaign/campaign.ts";
import type { Account, Invoicing } from "../../program/account/account.ts";
import { dayIn, timeZoneOf } from "../../program/account/time-zone.ts";
import { loadPromoter, promoterName, type Promoter } from "../../people/promoter/promoter.ts";
import { loadPayout, payouts, type Payout } from "../payout/payout.ts";
import { agreementState, invoicingOf, latestText } from "./company.ts";
import { findInvoiceOf, isInvoiceable, type Invoice, type Paper, type PaperParty } from "./invoice.ts";
import { vatCheckOf, invoiceDetailFaults, countryName, isReverseCharge } from "../../people/vat-number.ts";
import {
  checkPlaceholders,
  fault,
  fillMarkup,
  markupHtml,
  parseMarkup,
  type Values,
} from "../../../markup.ts";
import { formatAmount } from "../../money.ts";
import { textsOf, type Language } from "../../../languages/languages.ts";

/** The fields of an invoice that its paper shows. */
export type Shown = Omit<
  Paper,
  "language" | "agreement" | "company" | "promoter" | "lines" | "creditedNumber"
>;

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
    language: account.promoterLanguage ?? "en",
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
  return paperHtml(await templateOf(view, account.id, paper.language), paper);
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

/** The template of companies that have none of their own. */
function usualTemplate(language: Language): string {
  const say = textsOf(language);
  const days = say("paper.period.days", { from: "{{payout.period_start}}", to: "{{payout.period_end}}" });
  return `<h1>{{title}}</h1>
<table class="plain">
  <tr><td>${say("paper.number")}</td><td>{{number}}</td></tr>
  <tr><td>${say("paper.date")}</td><td>{{date}}</td></tr>
  <tr data-if="credited_number"><td>${say("paper.cancels")}</td><td>{{credited_number}}</td></tr>
</table>
<table class="plain">
  <tr><td><strong>${say("paper.supplier")}</strong></td><td><strong>${say("paper.customer")}</strong></td></tr>
  <tr><td>{{promoter.name}}<br>{{promoter.address}}<br>{{promoter.country}}</td><td>{{company.name}}<br>{{company.address}}<br>{{company.country}}</td></tr>
  <tr><td>{{promoter.numbers}}</td><td>{{company.numbers}}</td></tr>
</table>
<h2>${say("paper.commissions")}</h2>
<table>
  <tr><th>${say("paper.payout")}</th><th>${say("paper.campaign")}</th><th>${say("paper.period")}</th><th class="right">${say("paper.amount")}</th></tr>
  <tr data-each="payouts"><td>{{payout.id}}</td><td>{{payout.campaign}}</td><td>${days}</td><td class="right">{{payout.amount}}</td></tr>
</table>
<table class="plain">
  <tr><td class="right">${say("paper.net")}</td><td class="right">{{total}}</td></tr>
  <tr><td class="right">${say("paper.tax", { rate: "{{tax_rate}}" })}</td><td class="right">{{tax}}</td></tr>
  <tr><td class="right"><strong>${say("paper.total")}</strong></td><td class="right"><strong>{{total_incl_tax}}</strong></td></tr>
</table>
<p data-if="reverse_charge">{{reverse_charge}}</p>
<p class="small" data-if="self_billing">{{self_billing}}</p>
`;
}

/** An invoice for previews of a template. */
export function samplePaper(isVatInvoice: boolean, language: Language): Paper {
  return {
    language,
    kind: "invoice",
    number: "AFF-2026-000001",
    date: "2026-03-04",
    currency: "EUR",
    taxRateHundredths: isVatInvoice ? 1_900 : 0,
    totalCents: 30_000,
    totalInclTaxCents: isVatInvoice ? 35_700 : 30_000,
    creditedNumber: null,
    agreement: { version: 1, date: "2026-01-15" },
    company: {
      name: "Acme Ltd",
      address: "1 Main Street\nDublin",
      country: "IE",
      vatId: "IE1234567A",
      number: null,
    },
    promoter: {
      name: "Jane Doe",
      address: "Hauptstr. 1\nBerlin",
      country: "DE",
      vatId: "DE123456789",
      number: null,
    },
    lines: [
      {
        payoutId: 88,
        campaign: "Partners",
        periodStart: "2026-01-01",
        periodEnd: "2026-01-31",
        cents: 20_000,
      },
      { payoutId: 89, campaign: "Spring", periodStart: "2026-01-01", periodEnd: "2026-01-31", cents: 10_000 },
    ],
  };
}

/** A template with the values of a paper, as safe HTML. */
export function paperHtml(template: string, paper: Paper): string {
  return markupHtml(fillMarkup(parseMarkup(template), valuesOf(paper)));
}

/** The company's template, or the usual one in a language. */
export async function templateOf(view: View, accountId: number, language: Language = "en"): Promise<string> {
  return (await latestText(view, accountId, "template"))?.text ?? usualTemplate(language);
}

/** The most rows of a template that are repeated for each payout. */
const MOST_REPEATED = 10;

/** Refuses a template that is not safe, has unknown placeholders or repeats too much. @throws Failure `invalid` */
export function checkTemplate(html: string): void {
  const blocks = parseMarkup(html);
  const rows = blocks.flatMap((block) => (block.kind === "table" ? block.rows : []));
  if (rows.filter(({ each }) => each !== null).length > MOST_REPEATED)
    throw fault(`may have data-each at most ${MOST_REPEATED} times`);
  const { texts, lists } = valuesOf(samplePaper(true, "en"));
  const names = Object.fromEntries(
    Object.entries(lists).map(([name, [first]]) => [name, Object.keys(first!)]),
  );
  checkPlaceholders(blocks, { texts, lists: names });
}

/** The company as the customer of an invoice. */
function companyParty({ legalName, address, country, vatId, taxNumber }: Invoicing): PaperParty {
  return { name: legalName, address, country: country || null, vatId, number: taxNumber };
}

/** The values of the placeholders. A field that does not apply is empty. */
function valuesOf(paper: Paper): Values {
  const { kind, currency, company, promoter, agreement, taxRateHundredths, language = "en" } = paper;
  const say = textsOf(language);
  const money = (cents: number) => formatAmount(cents, "cash", currency);
  const isCharged = isReverseCharge(promoter, company, taxRateHundredths);
  return {
    texts: {
      title: say(`paper.${kind}`),
      number: paper.number ?? say("paper.draft"),
      date: paper.date ?? "",
      credited_number: paper.creditedNumber ?? "",
      currency,
      total: money(paper.totalCents),
      tax_rate: String(taxRateHundredths / 100),
      tax: money(paper.totalInclTaxCents - paper.totalCents),
      total_incl_tax: money(paper.totalInclTaxCents),
      reverse_charge: isCharged ? say("paper.reverse_charge") : "",
      self_billing:
        agreement === null
          ? ""
          : say("paper.self_billing", {
              company: company.name,
              promoter: promoter.name,
              date: agreement.date,
              version: String(agreement.version),
            }),
      ...partyTexts("company", company, language),
      ...partyTexts("promoter", promoter, language),
    },
    lists: {
      payouts: paper.lines.map((line) => ({
        "payout.id": String(line.payoutId),
        "payout.campaign": line.campaign,
        "payout.period_start": line.periodStart,
        "payout.period_end": line.periodEnd,
        "payout.amount": money(line.cents),
      })),
    },
  };
}

function partyTexts(
  who: "company" | "promoter",
  { name, address, country, vatId, number }: PaperParty,
  language: Language,
): Record<string, string> {
  const say = textsOf(language);
  const numberKey = who === "company" ? "paper.tax_number" : "paper.registration_number";
  const numbers = [vatId && say("paper.vat_id", { number: vatId }), number && say(numberKey, { number })];
  return {
    [`${who}.name`]: name,
    [`${who}.address`]: address,
    [`${who}.country`]: country === null ? "" : (countryName(country, language) ?? country),
    [`${who}.vat_id`]: vatId ?? "",
    [`${who}.${who === "company" ? "tax_number" : "company_number"}`]: number ?? "",
    [`${who}.numbers`]: numbers.filter(Boolean).join("\n"),
  };
}
