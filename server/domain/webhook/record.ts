import type { SYSTEM } from "../account/account.ts";
import type { EventFormat, EventMessage } from "../event/record.ts";
import type { Email } from "../email/email.ts";

/** A secret that signs deliveries. */
export interface WebhookSecret {
  /** `whsec_` and 33 bytes in base64. */
  text: string;
  /** null: it is the newest one, valid until it is replaced. */
  expiresAt: string | null;
}

/** The largest and the default number of attempts. */
export const MAX_RETRIES = 10;

/** A receiver of events. */
export interface Webhook {
  accountId: number;
  id: number;
  url: string;
  description: string | null;
  format: EventFormat;
  /** Types of its format. */
  eventTypes: string[];
  /** Only events of these campaigns are sent. Empty: all. */
  campaignIds: number[];
  isActive: boolean;
  timeoutSeconds: number;
  /** Failed attempts after which a delivery is given up. At least one attempt is made. */
  maxRetries: number;
  headers: Record<string, string>;
  basicAuthUser: string | null;
  basicAuthPassword: string | null;
  /** Newest first. */
  secrets: WebhookSecret[];
  createdAt: string;
  updatedAt: string;
}

/** `held`: an e-mail that waits for a mail server to be set up. */
export const DELIVERY_STATUSES = ["pending", "delivered", "retrying", "failed", "held"] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One event for one webhook, or one e-mail. It is kept long after it was sent. */
export interface Delivery {
  accountId: typeof SYSTEM;
  id: number;
  ownerId: number;
  /** The webhook that it goes to. null: it is an e-mail. */
  webhookId: number | null;
  /** Deliveries of one lane to one destination are sent one after the other. */
  lane: string;
  /** The place in its lane. */
  place: number;
  message: EventMessage | null;
  email: Email | null;
  status: DeliveryStatus;
  /** Attempts since it was made or restarted by hand, successful or not. */
  attempts: number;
  /** When to try it, in milliseconds. null: not by itself, or not before those ahead of it in its lane. */
  dueAt: number | null;
  responseCode: number | null;
  responseBody: string | null;
  lastError: string | null;
  createdAt: string;
  deliveredAt: string | null;
  /** When it ended. null: it has not ended. */
  finishedAt: string | null;
}

/** The state of one lane of a destination. Absent if nothing waits there. */
export interface Lane {
  accountId: typeof SYSTEM;
  destination: string;
  lane: string;
  /** Deliveries that are not finished. */
  count: number;
  lastPlace: number;
}
