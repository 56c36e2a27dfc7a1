import { z } from "zod";
import { SYSTEM } from "../../domain/context.ts";
import { isCurrency } from "../../domain/money.ts";
import { dayRates, isRate, ratesFor, storeRates, type DayRates } from "../../domain/ledger/rate.ts";
import { withoutLog } from "../../domain/access/audit/audited-store.ts";
import { recordWaiting } from "../../billing/waiting-run.ts";
import { numberText, readJson } from "../../http/parameters/json.ts";
import { readNestedQuery } from "../../http/parameters/form.ts";
import { shapeInput } from "../../input/shape.ts";
import { shown } from "../../resource/answer.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { field } from "../../http/fields.ts";

const day = z.string("is invalid").trim().pipe(z.iso.date("is not a date"));

const currency = field(
  z.string("is invalid").trim().toUpperCase().refine(isCurrency, "is not an ISO 4217 currency"),
  "Currency that the rates are relative to.",
  "EUR",
);

const rates = z
  .record(z.string(), z.union([z.string(), z.number()]), "is not an object of rates by currency")
  .transform((given, context) => {
    const read = Object.entries(given).map(([code, rate]) => [
      code.trim().toUpperCase(),
      String(typeof rate === "number" ? numberText(rate) : rate).trim(),
    ]);
    for (const [code = "", rate = ""] of read) {
      if (!isCurrency(code)) context.addIssue(`has ${code}, which is not an ISO 4217 currency`);
      else if (!isRate(rate)) context.addIssue(`has a rate of ${code} that is not a positive decimal number`);
    }
    if (read.length === 0) context.addIssue("can't be blank");
    return Object.fromEntries(read) as Record<string, string>;
  })
  .meta({
    documentedAs: { type: "object", additionalProperties: { type: ["string", "number"] } },
  });

const createBody = z.object({
  date: field(day, "Day of the rates, in UTC.", "2026-03-04"),
  base: currency,
  rates: field(rates, "How much of each currency one unit of the base buys.", {
    USD: "1.0842",
    GBP: "0.8391",
  }),
});

const ratesAnswer = shown(dayRates)("Rates", {
  date: [field(z.iso.date(), createBody.shape.date), ({ day }) => day],
  base: field(z.string(), "Currency that the rates are relative to.", "EUR"),
  rates: field(z.record(z.string(), z.string()), createBody.shape.rates),
  source: [
    field(
      z.enum(["account", "server"]),
      "`account`: stored by this account. `server`: imported by the operator for all accounts.",
    ),
    ({ account_id }) => (account_id === SYSTEM ? "server" : "account"),
  ],
  updated_at: field(z.iso.datetime(), "When the record was last changed."),
});

const listParams = z.object({
  date: field(day.optional(), "Day of the sale, in UTC. Default: today.", "2026-03-04"),
});

/** The rates only count for this account. */
export const storeRatesOperation: V2Operation = {
  id: "storeRates",
  summary: "Store exchange rates of a day",
  description:
    "Stores rates of a day for this account. Rates of other currencies stay. Sales that were recorded before keep their amounts, and those that waited for these rates are recorded. An extension of Tidemark.",
  example: { date: "2026-03-04", base: "EUR", rates: { USD: "1.0842", GBP: "0.8391" } },
  body: createBody,
  answer: ratesAnswer.schema,
  refusals: ["invalid"],
  handle: store,
};

export const listRatesOperation: V2Operation = {
  id: "listRates",
  summary: "List the exchange rates that a sale of a day may use",
  description:
    "Lists the rates that a sale of this day may use: those of the day and of seven days before, the latest first. The first that have both currencies convert the sale. An extension of Tidemark.",
  params: listParams,
  answer: z.array(ratesAnswer.schema),
  refusals: ["invalid"],
  handle: list,
};

async function store({ event, account, context }: V2Request) {
  const { date, base, rates: given } = shapeInput(createBody, await readJson(event));
  const [stored] = await storeRates(context, account.id, [{ day: date, base, rates: given }]);
  if (stored === undefined) throw new Error("Rates were given and not stored");
  // Some waiting sales are recorded immediately for callers who check. A job records the rest.
  const { store: plain, now, chance } = withoutLog(context);
  for await (const _ of recordWaiting({ store: plain, clock: () => now, chance }, account)) break;
  return ratesAnswer.json(stored);
}

async function list({ event, account, context }: V2Request) {
  const { date } = shapeInput(listParams, readNestedQuery(event));
  const at = date === undefined ? context.now : new Date(date);
  const found: DayRates[] = [];
  for await (const each of ratesFor(context.store, account.id, at)) found.push(each);
  return ratesAnswer.showAll(context.store, found);
}
