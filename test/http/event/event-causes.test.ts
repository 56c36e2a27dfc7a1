import { describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../support/event-types.ts";
import { KEY, startApp, type TestApp } from "../../support/app.ts";
import { appOutbox, expectAsDescribed, workOff } from "../../support/outbox.ts";
import { startReceiver } from "../../support/receiver.ts";

/** A request: its method, its path below `/api`, and its body. */
type Call = [request: string, body?: object];

const V2 = "/v2/company";
const JANE: Call = ["POST /v1/promoters/create", { email: "jane@example.com", ref_id: "jane" }];
const JOE: Call = ["POST /v1/promoters/create", { email: "joe@example.com", ref_id: "joe" }];
const LEAD: Call = ["POST /v1/track/signup", { email: "lead@example.com", ref_id: "jane" }];
const EARNED = { promotion_id: 1, reward_type: "cash", amount: 1_000 };
const COMMISSION: Call = ["POST /v1/rewards/create", EARNED];
const PAYOUT: Call = [`POST ${V2}/commissions/generate_payouts`, { ids: [1] }];
const PAID: Call = [`POST ${V2}/payouts/mark_as_paid`, { ids: [1] }];
const FAILED: Call = [`POST ${V2}/payouts/mark_as_failed`, { ids: [1], error: "account closed" }];
const METHOD: Call = [
  `POST ${V2}/payout_methods`,
  { promoter_id: 1, method: "paypal", details: { wallet_email: "jane@wallet.example" }, is_selected: true },
];
const PAYABLE = [JANE, METHOD, ["POST /v1/rewards/create", { ...EARNED, amount: 50_000 }], PAYOUT] as Call[];
const BATCH: Call = [`POST ${V2}/payouts/create_payments_batch`, { method: "paypal" }];
const PAY: Call = [`POST ${V2}/payments_batches/1/pay`, {}];
const REWARD: Call = [
  `POST ${V2}/rewards`,
  { name: "ten", is_promoter_reward: true, schemas: [{ unit: "cash", amount: 10, flat_amount: false }] },
];
const PROMO_CODE: Call = [
  `POST ${V2}/promo_codes`,
  { code: "JANE10", reward_id: 1, promoter_campaign_id: 1 },
];
const SALE: Call = ["POST /v1/track/sale", { email: "lead@example.com", event_id: "s-1", amount: 5_000 }];
const state = (to: string): Call => [`PUT ${V2}/promoter_campaigns/1`, { state: to }];

/** The request that causes each event, after those that come before it. */
const CAUSES: Record<string, [before: Call[], cause: Call]> = {
  "commission.approved": [
    [JANE, ["POST /v1/rewards/create", { ...EARNED, status: "pending" }]],
    [`POST ${V2}/commissions/approve`, { ids: [1] }],
  ],
  "commission.created": [[JANE], COMMISSION],
  "commission.deleted": [
    [JANE, COMMISSION],
    [`DELETE ${V2}/commissions/destroy`, { ids: [1] }],
  ],
  "commission.denied": [
    [JANE, COMMISSION],
    [`POST ${V2}/commissions/deny`, { ids: [1] }],
  ],
  "commission.pending": [
    [JANE, COMMISSION],
    ["PUT /v1/rewards/update", { id: 1, status: "pending" }],
  ],
  "commission.updated": [
    [JANE, COMMISSION],
    [`PUT ${V2}/commissions/1`, { internal_note: "checked" }],
  ],
  "payments_batch.completed": [[...PAYABLE, BATCH, PAY], PAID],
  "payments_batch.created": [PAYABLE, BATCH],
  "payments_batch.deleted": [[...PAYABLE, BATCH], [`DELETE ${V2}/payments_batches/1`]],
  "payments_batch.failed": [[...PAYABLE, BATCH, PAY], FAILED],
  "payments_batch.initiated": [[...PAYABLE, BATCH], PAY],
  "payments_batch.processing": [[...PAYABLE, BATCH], PAY],
  "payments_batch.updated": [[...PAYABLE, BATCH], PAY],
  "payout.cancelled": [
    [JANE, COMMISSION, PAYOUT],
    [`POST ${V2}/payouts/cancel`, { ids: [1] }],
  ],
  "payout.commissions.added": [[JANE, COMMISSION], PAYOUT],
  "payout.commissions.removed": [
    [JANE, COMMISSION, COMMISSION, [`POST ${V2}/commissions/generate_payouts`, { ids: [1, 2] }]],
    [`POST ${V2}/commissions/deny`, { ids: [2] }],
  ],
  "payout.completed": [[JANE, COMMISSION, PAYOUT], PAID],
  "payout.created": [[JANE, COMMISSION], PAYOUT],
  "payout.deleted": [
    [JANE, COMMISSION, PAYOUT],
    [`DELETE ${V2}/payouts/destroy`, { ids: [1] }],
  ],
  "payout.failed": [[...PAYABLE, BATCH, PAY], FAILED],
  "payout.pending": [
    [JANE, COMMISSION, PAYOUT, PAID],
    [`POST ${V2}/payouts/mark_as_unpaid`, { ids: [1] }],
  ],
  "payout.processing": [
    [JANE, COMMISSION, PAYOUT],
    ["PUT /v1/payouts/update", { id: 1, status: "processing" }],
  ],
  "payout.updated": [[JANE, COMMISSION, PAYOUT], PAID],
  "payout_method.created": [[JANE], METHOD],
  "payout_method.deleted": [[JANE, METHOD], [`DELETE ${V2}/payout_methods/1`]],
  "payout_method.updated": [
    [JANE, METHOD],
    [`PUT ${V2}/payout_methods/1`, { is_disabled: true }],
  ],
  "promo_code.archived": [[JANE, REWARD, PROMO_CODE], [`DELETE ${V2}/promo_codes/1`]],
  "promo_code.created": [[JANE, REWARD], PROMO_CODE],
  "promo_code.updated": [
    [JANE, REWARD, PROMO_CODE],
    [`PUT ${V2}/promo_codes/1`, { description: "ten" }],
  ],
  "promoter.balance.updated": [[JANE], COMMISSION],
  "promoter.created": [[], JANE],
  "promoter.deleted": [[JANE], ["DELETE /v1/promoters/delete", { id: 1 }]],
  "promoter.updated": [[JANE], ["PUT /v1/promoters/update", { id: 1, first_name: "Jane" }]],
  "promoter_campaign.accepted": [[JANE, state("pending")], state("accepted")],
  "promoter_campaign.blocked": [[JANE], state("blocked")],
  "promoter_campaign.created": [[], JANE],
  "promoter_campaign.deleted": [[JANE], ["DELETE /v1/promoters/delete", { id: 1 }]],
  "promoter_campaign.inactive": [[JANE], state("inactive")],
  "promoter_campaign.pending": [[JANE], state("pending")],
  "promoter_campaign.rejected": [[JANE], state("rejected")],
  "promoter_campaign.updated": [[JANE], state("inactive")],
  "referral.cancelled": [
    [JANE, LEAD, SALE],
    ["POST /v1/track/cancellation", { email: "lead@example.com" }],
  ],
  "referral.converted": [[JANE, LEAD], SALE],
  "referral.created": [[JANE], LEAD],
  "referral.deleted": [
    [JANE, LEAD],
    ["DELETE /v1/leads/delete", { id: 1 }],
  ],
  "referral.moved": [
    [JANE, JOE, LEAD],
    ["PUT /v1/leads/update", { id: 1, new_ref_id: "joe" }],
  ],
  "referral.updated": [
    [JANE, LEAD],
    ["PUT /v1/leads/update", { id: 1, state: "subscribed" }],
  ],
};

const WITHOUT_CAUSE: Record<string, string> = {
  "contract_document.signed": "there are no contracts",
};

async function send(app: TestApp, [request, body]: Call): Promise<void> {
  const [method = "", path = ""] = request.split(" ");
  const { status } = await app.request(`/api${path}`, {
    method,
    headers: {
      "x-api-key": KEY,
      authorization: `Bearer ${KEY}`,
      "account-id": "acme",
      "content-type": "application/json",
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect([request, status < 300 ? "done" : status]).toEqual([request, "done"]);
}

describe("each type of event", () => {
  it.each(Object.entries(CAUSES))("%s is sent once for its cause", async (type, [before, cause]) => {
    const app = await startApp("memory", { allowsPrivateWebhooks: true });
    const receiver = await startReceiver();
    for (const call of before) await send(app, call);
    await app.v2("POST", "/webhooks", { url: receiver.url, event_types: [type] });
    await send(app, cause);
    await workOff(appOutbox(app));
    expect(receiver.received.map(({ body }) => body["event_type"])).toEqual([type]);
    for (const { body } of receiver.received) expectAsDescribed(body);
    expect(app.bugs).toEqual([]);
    await receiver.close();
    await app.close();
  });

  it("has a cause, or a reason why there is none", () => {
    expect([...Object.keys(CAUSES), ...Object.keys(WITHOUT_CAUSE)].toSorted()).toEqual(EVENT_TYPES);
  });
});
