import {
  checkPlaceholders,
  fault,
  fillMarkup,
  markupHtml,
  parseMarkup,
  type Values,
} from "../../../markup.ts";
import type { View } from "../../../storage/store.ts";
import { formatAmount } from "../../money.ts";
import type { Invoicing } from "../../program/account/account.ts";
import { latestText } from "./company.ts";
import type { Paper, PaperParty } from "./invoice.ts";
import { countryName, isReverseCharge } from "../../people/vat-number.ts";

/** The template of companies that have none of their own. */
export const DEFAULT_TEMPLATE = `<h1>{{title}}</h1>
<table class="plain">
  <tr><td>Number</td><td>{{number}}</td></tr>
  <tr><td>Date</td><td>{{date}}</td></tr>
  <tr data-if="credited_number"><td>Cancels invoice</td><td>{{credited_number}}</td></tr>
</table>
<table class="plain">
  <tr><td><strong>Supplier</strong></td><td><strong>Customer</strong></td></tr>
  <tr><td>{{promoter.name}}<br>{{promoter.address}}<br>{{promoter.country}}</td><td>{{company.name}}<br>{{company.address}}<br>{{company.country}}</td></tr>
  <tr><td>{{promoter.numbers}}</td><td>{{company.numbers}}</td></tr>
</table>
<h2>Commissions for referrals</h2>
<table>
  <tr><th>Payout</th><th>Campaign</th><th>Period</th><th class="right">Amount</th></tr>
  <tr data-each="payouts"><td>{{payout.id}}</td><td>{{payout.campaign}}</td><td>{{payout.period_start}} to {{payout.period_end}}</td><td class="right">{{payout.amount}}</td></tr>
</table>
<table class="plain">
  <tr><td class="right">Net amount</td><td class="right">{{total}}</td></tr>
  <tr><td class="right">Tax, {{tax_rate}} %</td><td class="right">{{tax}}</td></tr>
  <tr><td class="right"><strong>Total</strong></td><td class="right"><strong>{{total_incl_tax}}</strong></td></tr>
</table>
<p data-if="reverse_charge">{{reverse_charge}}</p>
<p class="small" data-if="self_billing">{{self_billing}}</p>
`;

const REVERSE_CHARGE =
  "Reverse charge: the customer owes the value added tax (articles 44 and 196 of Directive 2006/112/EC).";

/** An invoice for previews of a template. */
export function samplePaper(isVatInvoice: boolean): Paper {
  return {
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

/** The company's template, or the default one. */
export async function templateOf(view: View, accountId: number): Promise<string> {
  return (await latestText(view, accountId, "template"))?.text ?? DEFAULT_TEMPLATE;
}

/** The most rows of a template that are repeated for each payout. */
const MOST_REPEATED = 10;

/** Refuses a template that is not safe, has unknown placeholders or repeats too much. @throws Failure `invalid` */
export function checkTemplate(html: string): void {
  const blocks = parseMarkup(html);
  const rows = blocks.flatMap((block) => (block.kind === "table" ? block.rows : []));
  if (rows.filter(({ each }) => each !== null).length > MOST_REPEATED)
    throw fault(`may have data-each at most ${MOST_REPEATED} times`);
  const { texts, lists } = valuesOf(samplePaper(true));
  const names = Object.fromEntries(
    Object.entries(lists).map(([name, [first]]) => [name, Object.keys(first!)]),
  );
  checkPlaceholders(blocks, { texts, lists: names });
}

/** The company as the customer of an invoice. */
export function companyParty({ legalName, address, country, vatId, taxNumber }: Invoicing): PaperParty {
  return { name: legalName, address, country: country || null, vatId, number: taxNumber };
}

/** The values of the placeholders. A field that does not apply is empty. */
function valuesOf(paper: Paper): Values {
  const { kind, currency, company, promoter, agreement, taxRateHundredths } = paper;
  const money = (cents: number) => formatAmount(cents, "cash", currency);
  const isCharged = isReverseCharge(promoter, company, taxRateHundredths);
  const noun = kind === "invoice" ? "invoice" : "credit note";
  return {
    texts: {
      title: `Self-billed ${noun}`,
      number: paper.number ?? "Draft",
      date: paper.date ?? "",
      credited_number: paper.creditedNumber ?? "",
      currency,
      total: money(paper.totalCents),
      tax_rate: String(taxRateHundredths / 100),
      tax: money(paper.totalInclTaxCents - paper.totalCents),
      total_incl_tax: money(paper.totalInclTaxCents),
      reverse_charge: isCharged ? REVERSE_CHARGE : "",
      self_billing:
        agreement === null
          ? ""
          : `This ${noun} was written by ${company.name} in the name of ${promoter.name}, who agreed to it on ${agreement.date} (version ${agreement.version} of the agreement).`,
      ...partyTexts("company", company, "Tax number"),
      ...partyTexts("promoter", promoter, "Registration number"),
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

function partyTexts(who: string, party: PaperParty, numberWords: string): Record<string, string> {
  const { name, address, country, vatId, number } = party;
  const numbers = [vatId && `VAT ID ${vatId}`, number && `${numberWords} ${number}`];
  return {
    [`${who}.name`]: name,
    [`${who}.address`]: address,
    [`${who}.country`]: country === null ? "" : (countryName(country) ?? country),
    [`${who}.vat_id`]: vatId ?? "",
    [`${who}.${who === "company" ? "tax_number" : "company_number"}`]: number ?? "",
    [`${who}.numbers`]: numbers.filter(Boolean).join("\n"),
  };
}
