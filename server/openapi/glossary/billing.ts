import type { Fields, Operations } from "./entry.ts";

/** Fields of billing connections and exchange rates. */
export const BILLING_FIELDS: Fields = {
  "StoreRatesBody.date": ["Day of the rates, in UTC.", "2026-03-04"],
  "Rates.date": ["Day of the rates, in UTC.", "2026-03-04"],
  "listRates.date": ["Day of the sale, in UTC. Default: today.", "2026-03-04"],
  "BillingConnection.provider": "Provider that sends the events.",
  "ConnectBillingBody.provider": "Provider that sends the events.",
  "disconnectBilling.provider": "Provider that is refused from now on.",
  endpoint: [
    "Address that the provider posts its events to.",
    "https://track.acme.example/hooks/stripe/acme",
  ],
  has_api_key: "Whether a key for the provider's API is stored.",
  refunds_waiting: [
    "How many refunds have no sale yet. Most are of customers whom nobody referred. They are dropped after 40 days.",
    0,
  ],
  secret: ["What the provider signs its events with. It is never shown.", "whsec_5f1c2b7a"],
  api_key: [
    "A key that may read from the provider's API. It is never shown. null: none.",
    "rk_live_5f1c2b7a",
  ],
  base: ["Currency that the rates are relative to.", "EUR"],
  rates: ["How much of each currency one unit of the base buys.", { USD: "1.0842", GBP: "0.8391" }],
  "Rates.source": "`account`: stored by this account. `server`: imported by the operator for all accounts.",
};

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
