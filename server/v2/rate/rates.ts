import { z } from "zod";
import { SYSTEM } from "../../domain/account/account.ts";
import { isCurrency } from "../../domain/money/money.ts";
import { isRate, ratesFor, storeRates, type DayRates } from "../../domain/money/rate.ts";
import { withoutLog } from "../../domain/audit/audited-store.ts";
import { recordWaiting } from "../../billing/waiting-run.ts";
import { numberText, readJson } from "../../http/parameters/json.ts";
import { readNestedQuery } from "../../http/parameters/form.ts";
import { shapeInput } from "../../input/shape.ts";
import type { V2Operation, V2Request } from "../operation.ts";

const day = z.string("is invalid").trim().pipe(z.iso.date("is not a date"));

const currency = z
  .string("is invalid")
  .trim()
  .toUpperCase()
  .refine(isCurrency, "is not an ISO 4217 currency");

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

const createBody = z.object({ date: day, base: currency, rates });

const ratesAnswer = z
  .object({
    date: z.iso.date(),
    base: z.string(),
    rates: z.record(z.string(), z.string()),
    source: z.enum(["account", "server"]),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "Rates" });

const listParams = z.object({ date: day.optional() });

/** `POST /api/v2/company/rates`. Choice: our addition; the rates only count for this account. */
export const storeRatesOperation: V2Operation = {
  summary: "Store exchange rates of a day",
  body: createBody,
  answer: ratesAnswer,
  refusals: ["invalid"],
  handle: store,
};

/** `GET /api/v2/company/rates`. Choice: our addition. */
export const listRatesOperation: V2Operation = {
  summary: "List the exchange rates that a sale of a day may use",
  params: listParams,
  answer: z.array(ratesAnswer),
  refusals: ["invalid"],
  handle: list,
};

async function store({ event, account, context }: V2Request) {
  const { date, base, rates: given } = shapeInput(createBody, await readJson(event));
  const [stored] = await storeRates(context, account.id, [{ day: date, base, rates: given }]);
  if (stored === undefined) throw new Error("Rates were given and not stored");
  // The first ones at once, for callers who look for them. A job records the others.
  const { store: plain, now, chance } = withoutLog(context);
  for await (const _ of recordWaiting({ store: plain, clock: () => now, chance }, account)) break;
  return ratesJson(stored);
}

async function list({ event, account, context }: V2Request) {
  const { date } = shapeInput(listParams, readNestedQuery(event));
  const at = date === undefined ? context.now : new Date(date);
  const shown: z.output<typeof ratesAnswer>[] = [];
  for await (const each of ratesFor(context.store, account.id, at)) shown.push(ratesJson(each));
  return shown;
}

function ratesJson(given: DayRates): z.output<typeof ratesAnswer> {
  return {
    date: given.day,
    base: given.base,
    rates: given.rates,
    source: given.accountId === SYSTEM ? "server" : "account",
    updated_at: given.updatedAt,
  };
}
