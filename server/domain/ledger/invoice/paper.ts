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
  "language" | "agreement" | "company" | "promoter" | "lines" | "credited_number"
>;

/** Everything that the paper of an invoice about these payouts says now. */
export async function paperOf(
  view: View,
  account: Account,
  { shown, promoter_id, payouts: about }: { shown: Shown; promoter_id: number; payouts: Payout[] },
): Promise<Paper> {
  const promoter = await loadPromoter(view, account.id, promoter_id);
  const state = await agreementState(view, promoter);
  const zone = timeZoneOf(account);
  const lines = [];
  for (const payout of about) {
    const campaign = await view.get(campaigns, account.id, payout.campaign_id);
    lines.push({
      payout_id: payout.id,
      campaign: campaign?.name ?? "",
      period_start: dayIn(zone, new Date(payout.period_start)),
      period_end: dayIn(zone, new Date(payout.period_end)),
      cents: payout.amount,
    });
  }
  const agreedAt = state?.agreed_at ?? null;
  const { kind, number, date, currency, tax_rate_hundredths, total_cents, total_incl_tax_cents } = shown;
  return {
    kind,
    number,
    date,
    currency,
    tax_rate_hundredths,
    total_cents,
    total_incl_tax_cents,
    language: account.promoter_language ?? "en",
    credited_number: null,
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
  { promoter_id, payouts: given }: { promoter_id: number; payouts: Payout[] },
): Promise<string> {
  const same = given.filter(
    ({ tax_rate_hundredths }) => tax_rate_hundredths === given[0]?.tax_rate_hundredths,
  );
  const shown: Shown = {
    kind: "invoice",
    number: null,
    date: null,
    currency: account.currency,
    ...sumsOf(same),
  };
  return writePaper(view, account, await paperOf(view, account, { shown, promoter_id, payouts: same }));
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
  { promoter_id, payout_ids }: { promoter_id: number; payout_ids: number[] | undefined },
): Promise<Payout[]> {
  await loadPromoter(view, accountId, promoter_id);
  const found: Payout[] = [];
  for (const id of payout_ids ?? []) {
    const payout = await loadPayout(view, accountId, id);
    if (payout.promoter_id !== promoter_id) throw new Failure("not_found", "Payout not found.");
    found.push(payout);
  }
  if (payout_ids === undefined) {
    for (const payout of await view.list(payouts, "promoter", accountId, [promoter_id])) {
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
): Pick<Invoice, "tax_rate_hundredths" | "total_cents" | "total_incl_tax_cents"> {
  return {
    tax_rate_hundredths: about[0]?.tax_rate_hundredths ?? 0,
    total_cents: about.reduce((sum, { amount }) => sum + amount, 0),
    total_incl_tax_cents: about.reduce((sum, { total_incl_tax }) => sum + total_incl_tax, 0),
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
  { promoter_id, tax_rate_hundredths }: Pick<Invoice, "promoter_id" | "tax_rate_hundredths">,
): Promise<string[]> {
  const promoter = await loadPromoter(view, account.id, promoter_id);
  const { legal_name, address, country } = invoicingOf(account);
  const state = await agreementState(view, promoter);
  return [
    legal_name && address && country ? null : "The company's legal name, address and country are not set",
    state === null ? "The company has not published its agreement to self-billing" : null,
    state !== null && state.agreed_at === null
      ? `The promoter has not agreed to version ${state.version} of the agreement`
      : null,
    ...promoterLacks(promoter, { account, isTaxed: tax_rate_hundredths > 0 }),
  ].filter((lack) => lack !== null);
}

/** What a person should know before a draft gets a number, in words. It does not prevent that. */
export function warningsOf(promoter: Promoter | null): string[] {
  const isUnknown = promoter !== null && vatCheckOf(promoter)?.status === "invalid";
  return isUnknown ? [`VIES does not know the promoter's VAT number ${promoter.profile.vat_id}`] : [];
}

/** @throws Failure `refused` */
export async function refuseIncomplete(...given: Parameters<typeof lacksOf>): Promise<void> {
  const lacks = await lacksOf(...given);
  if (lacks.length > 0) throw new Failure("refused", `${lacks.join(". ")}.`);
}

function promoterLacks(
  { profile, invoice_details_status: status }: Promoter,
  { account, isTaxed }: { account: Account; isTaxed: boolean },
): (string | null)[] {
  const { company_name, first_name, last_name, address, country, vat_id, company_number } = profile;
  const faults = invoiceDetailFaults(profile);
  return [
    company_name || (first_name && last_name) ? null : "The promoter's name is not known",
    address ? null : "The promoter's address is not known",
    country ? null : "The promoter's country is not known",
    faults["country"] ? `The promoter's country ${faults["country"][0]}` : null,
    faults["vat_id"] ? `The promoter's VAT number ${faults["vat_id"][0]}` : null,
    isTaxed && !vat_id && !company_number
      ? "The promoter has no VAT number and no registration number"
      : null,
    status === "denied" ? "The promoter's invoice details were denied" : null,
    status === "pending" && account.requires_invoice_details
      ? "The promoter's invoice details are not approved yet"
      : null,
  ];
}

function promoterParty(promoter: Promoter): PaperParty {
  const { profile } = promoter;
  return {
    name: profile.company_name ?? promoterName(promoter),
    address: profile.address ?? "",
    country: profile.country,
    vat_id: profile.vat_id,
    number: profile.company_number,
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
    tax_rate_hundredths: isVatInvoice ? 1_900 : 0,
    total_cents: 30_000,
    total_incl_tax_cents: isVatInvoice ? 35_700 : 30_000,
    credited_number: null,
    agreement: { version: 1, date: "2026-01-15" },
    company: {
      name: "Acme Ltd",
      address: "1 Main Street\nDublin",
      country: "IE",
      vat_id: "IE1234567A",
      number: null,
    },
    promoter: {
      name: "Jane Doe",
      address: "Hauptstr. 1\nBerlin",
      country: "DE",
      vat_id: "DE123456789",
      number: null,
    },
    lines: [
      {
        payout_id: 88,
        campaign: "Partners",
        period_start: "2026-01-01",
        period_end: "2026-01-31",
        cents: 20_000,
      },
      {
        payout_id: 89,
        campaign: "Spring",
        period_start: "2026-01-01",
        period_end: "2026-01-31",
        cents: 10_000,
      },
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
function companyParty({ legal_name, address, country, vat_id, tax_number }: Invoicing): PaperParty {
  return { name: legal_name, address, country: country || null, vat_id, number: tax_number };
}

/** The values of the placeholders. A field that does not apply is empty. */
function valuesOf(paper: Paper): Values {
  const { kind, currency, company, promoter, agreement, tax_rate_hundredths, language = "en" } = paper;
  const say = textsOf(language);
  const money = (cents: number) => formatAmount(cents, "cash", currency);
  const isCharged = isReverseCharge(promoter, company, tax_rate_hundredths);
  return {
    texts: {
      title: say(`paper.${kind}`),
      number: paper.number ?? say("paper.draft"),
      date: paper.date ?? "",
      credited_number: paper.credited_number ?? "",
      currency,
      total: money(paper.total_cents),
      tax_rate: String(tax_rate_hundredths / 100),
      tax: money(paper.total_incl_tax_cents - paper.total_cents),
      total_incl_tax: money(paper.total_incl_tax_cents),
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
        "payout.id": String(line.payout_id),
        "payout.campaign": line.campaign,
        "payout.period_start": line.period_start,
        "payout.period_end": line.period_end,
        "payout.amount": money(line.cents),
      })),
    },
  };
}

function partyTexts(
  who: "company" | "promoter",
  { name, address, country, vat_id, number }: PaperParty,
  language: Language,
): Record<string, string> {
  const say = textsOf(language);
  const numberKey = who === "company" ? "paper.tax_number" : "paper.registration_number";
  const numbers = [vat_id && say("paper.vat_id", { number: vat_id }), number && say(numberKey, { number })];
  return {
    [`${who}.name`]: name,
    [`${who}.address`]: address,
    [`${who}.country`]: country === null ? "" : (countryName(country, language) ?? country),
    [`${who}.vat_id`]: vat_id ?? "",
    [`${who}.${who === "company" ? "tax_number" : "company_number"}`]: number ?? "",
    [`${who}.numbers`]: numbers.filter(Boolean).join("\n"),
  };
}
