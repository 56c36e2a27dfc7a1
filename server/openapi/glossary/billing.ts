import type { Fields, Operations } from "./entry.ts";

/** Fields of exchange rates. */
export const BILLING_FIELDS: Fields = {
  "StoreRatesBody.date": ["Day of the rates, in UTC.", "2026-03-04"],
  "Rates.date": ["Day of the rates, in UTC.", "2026-03-04"],
  "listRates.date": ["Day of the sale, in UTC. Default: today.", "2026-03-04"],
  base: ["Currency that the rates are relative to.", "EUR"],
  rates: ["How much of each currency one unit of the base buys.", { USD: "1.0842", GBP: "0.8391" }],
  "Rates.source": "`account`: stored by this account. `server`: imported by the operator for all accounts.",
};

/** Operations on exchange rates. */
export const BILLING_OPERATIONS: Operations = {
  "GET /api/v2/company/rates": [
    "listRates",
    "Lists the rates that a sale of this day may use: those of the day and of seven days before, the latest first. The first that have both currencies convert the sale. An extension of Tidemark.",
  ],
  "POST /api/v2/company/rates": [
    "storeRates",
    "Stores rates of a day for this account. Rates of other currencies stay. Sales that were recorded before keep their amounts. An extension of Tidemark.",
    { date: "2026-03-04", base: "EUR", rates: { USD: "1.0842", GBP: "0.8391" } },
  ],
};
