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
  "WaitingEvent.type": "Whether it is a sale or a refund.",
  "WaitingEvent.event_id": ["Your own id of the event.", "order-1001"],
  "WaitingEvent.sale_event_id": ["Your own id of the sale that is refunded. null: it is a sale.", null],
  "WaitingEvent.amount": ["The amount in the minor unit of its currency.", 10_000],
  "WaitingEvent.currency": ["The currency of the amount (ISO 4217).", "EUR"],
  "WaitingEvent.waiting_for": "The exchange rate that is missing.",
  "WaitingEvent.error": [
    "Why it could not be recorded although there was a rate. It is tried again each minute. null: it was not tried yet.",
    null,
  ],
  "WaitingEvent.referral": "The lead. null: deleted.",
  "WaitingEvent.received_at": ["When it came.", "2026-03-04T05:06:07.890Z"],
  "WaitingEvent.created_at": ["When it happened.", "2026-03-04T05:06:07.890Z"],
  "waiting_for.currency": ["The currency without a rate (ISO 4217).", "EUR"],
  "waiting_for.date": ["Day of the rate, in UTC. One of the seven days before does as well.", "2026-03-04"],
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
