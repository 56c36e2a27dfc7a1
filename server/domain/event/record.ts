import type { Balance } from "../commission/balance.ts";
import type { Commission } from "../commission/record.ts";
import type { PaymentsBatch } from "../payments-batch/record.ts";
import type { Payout } from "../payout/record.ts";
import type { PayoutMethod } from "../payout-method/record.ts";
import type { PromoCode } from "../promo-code/record.ts";
import type { Promoter } from "../promoter/record.ts";
import type { PromoterCampaign } from "../promoter-campaign/record.ts";
import type { Lead } from "../lead/record.ts";
import type { SYSTEM } from "../account/account.ts";

export const ENTITIES = [
  "commission",
  "payments_batch",
  "payout",
  "payout_method",
  "promo_code",
  "promoter",
  "promoter_campaign",
  "referral",
] as const;

/** The kinds of records that have events, as receivers name them. */
export type Entity = (typeof ENTITIES)[number];

/** The record of each entity. */
export interface EntityRecords {
  commission: Commission;
  payments_batch: PaymentsBatch;
  payout: Payout;
  payout_method: PayoutMethod;
  promo_code: PromoCode;
  promoter: Promoter;
  promoter_campaign: PromoterCampaign;
  referral: Lead;
}

/** The balance of a promoter, before and after one commit. */
export interface BalanceChange {
  before: Balance;
  after: Balance;
}

/**
 * Records that a record was created, changed or deleted. It is written in the same commit, and removed once its
 * deliveries are made. A created record is copied into it only when it changes again. Until then the record itself
 * tells what was created.
 */
export interface Fact {
  accountId: typeof SYSTEM;
  ownerId: number;
  entity: Entity;
  entityId: number;
  /** Numbers the waiting facts of one entity. */
  number: number;
  at: string;
  /** null: the record is new. */
  before: EntityRecords[Entity] | null;
  /** null: the record was deleted. If `before` is null too, the record itself has the data. */
  after: EntityRecords[Entity] | null;
  /** If only the promoter's balance changed: how. Otherwise absent, and `before` and `after` tell the change. */
  balance?: BalanceChange;
}

/**
 * The event types that somebody in an account wants. Written with webhooks and campaigns. Absent if there never were
 * any.
 */
export interface WantedEvents {
  accountId: number;
  eventTypes: string[];
  /** Grows with each write, so that two simultaneous writers conflict. */
  version: number;
}

/** The forms of events: V2's, or the older one that connectors of automation tools wait for. */
export const EVENT_FORMATS = ["v2", "v1"] as const;

export type EventFormat = (typeof EVENT_FORMATS)[number];

/** An event as receivers get it. */
export interface EventMessage {
  format: EventFormat;
  /** A UUID, or in V1's form a number. */
  eventId: string;
  /** A type of its format. */
  type: string;
  action: "created" | "updated" | "deleted";
  entity: Entity;
  entityId: number;
  /** By wire name: the old and the new value. Empty except for updates, and in V1's form. */
  changes: Record<string, [old: unknown, now: unknown]>;
  data: Record<string, unknown>;
  at: string;
}
