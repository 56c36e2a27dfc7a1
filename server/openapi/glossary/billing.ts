import type { Operations } from "./entry.ts";

/** Operations on billing connections and exchange rates. */
export const BILLING_OPERATIONS: Operations = {
  "GET /api/v2/company/billing": [
    "listBilling",
    "Lists the billing providers that the account is connected with. An extension of Tidemark.",
  ],
  "POST /api/v2/company/billing": [
    "connectBilling",
    "Takes the events of a billing provider from now on, or replaces its secrets. An API key that is left out stays. An extension of Tidemark.",
    { provider: "stripe", secret: "whsec_5f1c2b7a", api_key: "rk_live_5f1c2b7a" },
  ],
  "DELETE /api/v2/company/billing": [
    "disconnectBilling",
    "Refuses the events of a provider from now on. What they recorded stays. An extension of Tidemark.",
  ],
  "GET /api/v2/company/waiting_events": [
    "listWaitingEvents",
    "Lists the sales and refunds that wait for an exchange rate, with the reason if one was refused since. Each is recorded within a minute after its rate is stored. An extension of Tidemark.",
  ],
  "DELETE /api/v2/company/waiting_events/:id": [
    "dropWaitingEvent",
    "Drops a sale or refund that waits. It is not recorded, and may be sent again. An extension of Tidemark.",
  ],
  "GET /api/v2/company/rates": [
    "listRates",
    "Lists the rates that a sale of this day may use: those of the day and of seven days before, the latest first. The first that have both currencies convert the sale. An extension of Tidemark.",
  ],
  "POST /api/v2/company/rates": [
    "storeRates",
    "Stores rates of a day for this account. Rates of other currencies stay. Sales that were recorded before keep their amounts, and those that waited for these rates are recorded. An extension of Tidemark.",
    { date: "2026-03-04", base: "EUR", rates: { USD: "1.0842", GBP: "0.8391" } },
  ],
};
