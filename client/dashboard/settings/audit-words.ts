import type { components } from "../../ui/api/types.ts";

export type AuditEntry = components["schemas"]["AuditEntry"];

/** Who changes records. */
export const ACTORS: Record<AuditEntry["actor"]["kind"], string> = {
  user: "A team member",
  key: "An API key",
  promoter: "A promoter",
  command_line: "The command line",
  process: "The server itself",
};

/** The names of actions. */
export const ACTIONS: Record<AuditEntry["action"], string> = {
  created: "Created",
  updated: "Changed",
  deleted: "Deleted",
  erased: "Erased",
  viewed: "Looked at",
  exported: "Exported",
  imported: "Imported",
  let_in: "Let in",
};

/** The kinds of records in the log. */
export const ENTITIES: Record<AuditEntry["entity"], string> = {
  account: "Account",
  api_key: "API key",
  billing_connection: "Billing connection",
  campaign: "Campaign",
  commission: "Commission",
  contract: "Contract",
  contract_document: "Signed contract",
  custom_referral_status: "Status of leads",
  rates: "Exchange rates",
  invoice: "Invoice",
  invoice_agreement: "Agreement to invoices",
  invoice_text: "Text of invoices",
  referral: "Lead",
  migration: "Migration",
  payment: "Payment",
  payment_connection: "Payment connection",
  payments_batch: "Payments batch",
  payout: "Payout",
  payout_hold: "Held payouts",
  payout_method: "Payout method",
  product: "Product",
  promo_code: "Promo code",
  promoter: "Promoter",
  promoter_campaign: "Promoter in a campaign",
  reward: "Reward",
  saved_view: "Saved view",
  switch: "Switch",
  tax_details: "Tax form",
  user: "User",
  webhook: "Webhook",
};
