import type { Operations } from "./entry.ts";

export const BATCH = "The answer is a batch: how many records were changed, and why others were not.";

/** Operations of V2 on what promoters earn and how they are paid, below `/api/v2/company`. */
export const MONEY_OPERATIONS: Operations = {
  "GET /payouts": [
    "listPayouts",
    "Lists payouts, with filters and sorting. A payout is what a promoter is paid for one campaign and period.",
  ],
  "GET /payouts/group_by_promoters": [
    "groupPayoutsByPromoters",
    "Lists payouts promoter by promoter, with sums. `meta` covers every payout that matches the filters, not only the page.",
  ],
  "POST /payouts/mark_as_paid": ["markPayoutsAsPaid", `Records that you have paid these payouts. ${BATCH}`],
  "POST /payouts/mark_as_unpaid": [
    "markPayoutsAsUnpaid",
    `Marks completed payouts as unpaid again. ${BATCH}`,
  ],
  "POST /payouts/mark_as_failed": [
    "markPayoutsAsFailed",
    `Records that your bank or wallet has sent these payouts back. They must be processing. ${BATCH}`,
  ],
  "POST /payouts/cancel": [
    "cancelPayouts",
    `Cancels pending or failed payouts. The next run pays their commissions. ${BATCH}`,
  ],
  "DELETE /payouts/destroy": ["destroyPayouts", `Removes payouts that moved no money. ${BATCH}`],
  "GET /commissions": [
    "listCommissions",
    "Lists commissions, oldest first, with filters and sorting. A commission is what a promoter earns.",
  ],
  "POST /commissions": [
    "createCommission",
    "Gives a promoter a commission. `custom`: an exact `amount` for a `promoter_campaign_id`. `sale`: what a sale of `sale_amount` to a `referral_id` earns, for each tier and each part of a split.",
    {
      commission_type: "custom",
      promoter_campaign_id: 17,
      amount: 2000,
      external_note: "Thank you for the talk",
    },
  ],
  "PUT /commissions/:id": [
    "updateCommission",
    "Changes the notes on a commission. What you leave out stays.",
    { internal_note: "Checked by phone" },
  ],
  "PATCH /commissions/:id": ["patchCommission", "The same as `PUT`.", { external_note: null }],
  "POST /commissions/mark_fulfilled": [
    "markCommissionsFulfilled",
    `Records that promoters got what is not money: credits, points, months, discounts. ${BATCH}`,
  ],
  "POST /commissions/mark_unfulfilled": [
    "markCommissionsUnfulfilled",
    `Records that promoters did not get them after all. ${BATCH}`,
  ],
  "DELETE /commissions/destroy": [
    "destroyCommissions",
    `Deletes commissions, with those that take them back. Paid ones stay as they are. ${BATCH}`,
  ],
  "GET /payouts/stats": [
    "getPayoutStats",
    "Adds up payouts by the period that was paid for, by status and by method of payment. `stats_by` chooses among them.",
  ],
  "GET /payouts/due_stats": [
    "getPayoutDueStats",
    "Adds up pending payouts: those due next, those overdue, and those with due dates of their own.",
  ],
  "POST /payouts/create_payments_batch": [
    "createPaymentsBatch",
    "Puts all pending payouts that can be paid by one method into a batch. `meta.failed` names those that can't be paid yet, and why.",
    { method: "bank" },
  ],
  "GET /payout_runs": [
    "listPayoutRuns",
    "Lists the payout runs, newest first. The server makes the payouts of a period within an hour of its end.",
  ],
  "GET /payout_runs/preview": [
    "previewPayoutRun",
    "Shows what the next run would pay if its period ended now: one payout for each promoter, campaign and unit. `not_paid_because` says what keeps it for a later run.",
  ],
  "GET /payments_batches": ["listPaymentsBatches", "Lists the payments batches, newest first."],
  "POST /payments_batches/:id/pay": [
    "payPaymentsBatch",
    "Confirms a batch: its payouts are processing from now on. Upload the batch's file to your bank or wallet, and mark the payouts as paid afterwards. A failed batch is tried again.",
    {},
  ],
  "GET /payments_batches/:id/file": [
    "downloadPaymentFile",
    "Downloads the file that pays a batch: PayPal's or Wise's CSV, SEPA's XML (`pain.001.001.03`, as `application/xml`), or a plain CSV of bank accounts. SEPA needs your own account, `debtor_iban`.",
  ],
  "DELETE /payments_batches/:id": [
    "deletePaymentsBatch",
    "Deletes a batch that is not under way. Its payouts are pending again.",
  ],
  "POST /commissions/approve": [
    "approveCommissions",
    `Approves commissions, so that the next payout pays them. Paid ones stay as they are. ${BATCH}`,
  ],
  "POST /commissions/deny": [
    "denyCommissions",
    `Denies commissions, so that they are not paid. Paid ones stay as they are. ${BATCH}`,
  ],
  "POST /commissions/generate_payouts": [
    "generatePayouts",
    `Makes pending payouts of these approved commissions now: one for each promoter, campaign and unit. The account's minimum payment does not count here. ${BATCH}`,
  ],
  "GET /rewards": ["listRewards", "Lists rewards, both for promoters and for the people that they refer."],
  "POST /rewards": [
    "createReward",
    "Adds a reward. Name it in a campaign's `rewards_for_promoters` to let promoters earn it.",
  ],
  "PUT /rewards/:id": [
    "updateReward",
    "Changes a reward. What you leave out stays.",
    { name: "25% of each sale" },
  ],
  "PATCH /rewards/:id": ["patchReward", "The same as `PUT`.", { name: "25% of each sale" }],
  "POST /rewards/preview": [
    "previewRewards",
    "Works out what rewards would give for a sale, by the rules of a real one. It changes nothing. Give rewards that are not saved as `drafts`, and saved ones as `entries`.",
    {
      drafts: [
        {
          name: "20% of each sale",
          is_promoter_reward: true,
          schemas: [{ unit: "cash", amount: 20, flat_amount: false }],
        },
      ],
      sale_amount: 10_000,
    },
  ],
  "POST /rewards/:id/hide": [
    "hideReward",
    "Hides a reward from promoters. It still counts where it is used.",
  ],
  "GET /products": ["listProducts", "Lists products: all, or those that `q` finds."],
  "POST /products": [
    "createProduct",
    "Adds a product with its prices. Sales that name one of the prices as their `plan` are of this product.",
    { name: "Pro plan", ext_id: "prod_pro", prices: [{ ext_id: "price_pro_monthly", desc: "Monthly" }] },
  ],
  "GET /products/:id": ["getProduct", "Finds one product."],
  "PUT /products/:id": [
    "updateProduct",
    "Changes a product. What you leave out stays.",
    { name: "Pro plan" },
  ],
  "PATCH /products/:id": ["patchProduct", "The same as `PUT`.", { name: "Pro plan" }],
  "DELETE /products/:id": [
    "deleteProduct",
    "Removes a product that no reward is for and that was never sold.",
  ],
  "GET /payout_methods": ["listPayoutMethods", "Lists the ways in which one promoter can be paid."],
  "POST /payout_methods": [
    "createPayoutMethod",
    "Adds a way to pay a promoter.",
    {
      promoter_id: 17,
      method: "paypal",
      details: { wallet_email: "jane@wallet.example" },
      is_selected: true,
    },
  ],
  "GET /payout_methods/:id": ["getPayoutMethod", "Finds one payout method."],
  "PUT /payout_methods/:id": [
    "updatePayoutMethod",
    "Changes a payout method. What you leave out stays. Once a payout has used it, other details make a new method, with its own id.",
    { is_selected: true },
  ],
  "PATCH /payout_methods/:id": ["patchPayoutMethod", "The same as `PUT`.", { is_disabled: true }],
  "DELETE /payout_methods/:id": ["deletePayoutMethod", "Removes a payout method that no payout was paid by."],
};
