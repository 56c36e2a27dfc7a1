export const ACTOR_KINDS = ["user", "key", "promoter", "command_line", "process"] as const;

/** The one who changes something. */
export interface Actor {
  /** `process`: the server itself, by its jobs. */
  kind: (typeof ACTOR_KINDS)[number];
  /** The id of the user or promoter. null: the others have none. */
  id: number | null;
  /** The e-mail address of a user or promoter, or the name of a key. null: there is none. */
  name: string | null;
}

/** The server itself, by its jobs. */
export const PROCESS: Actor = { kind: "process", id: null, name: null };

/** Whoever runs `tidemark` on the server. */
export const COMMAND_LINE: Actor = { kind: "command_line", id: null, name: null };

/**
 * `viewed`: somebody of the company looked at the portal as the promoter sees it. `exported`: somebody took a file of all
 * records of the kind.
 */
export const AUDIT_ACTIONS = ["created", "updated", "deleted", "erased", "viewed", "exported"] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The kinds of records whose changes are kept, by the names of their collections. */
export const AUDITED = {
  account: "account",
  "api-key": "api_key",
  "billing-connection": "billing_connection",
  campaign: "campaign",
  commission: "commission",
  "day-rates": "rates",
  lead: "referral",
  "payments-batch": "payments_batch",
  payout: "payout",
  "payout-method": "payout_method",
  product: "product",
  "promo-code": "promo_code",
  promoter: "promoter",
  "promoter-campaign": "promoter_campaign",
  reward: "reward",
  user: "user",
  webhook: "webhook",
} as const;

export type AuditedEntity = (typeof AUDITED)[keyof typeof AUDITED];

/** One change of one record, written in the commit that made it. */
export interface AuditEntry {
  accountId: number;
  id: number;
  at: string;
  actor: Actor;
  action: AuditAction;
  entity: AuditedEntity;
  /** The record's id as text. */
  entityId: string;
  /** The promoter, the promoter campaign and the lead that the record is about. null: none. */
  promoterId: number | null;
  promoterCampaignId: number | null;
  leadId: number | null;
  /** The fields that changed, before and after. null: the record was new or is gone, or the person was erased. */
  before: AuditedFields | null;
  after: AuditedFields | null;
}

/** Fields of a record by their names. Secrets are replaced by `hidden`. */
export type AuditedFields = Record<string, unknown>;
