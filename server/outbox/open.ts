import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { auditedStore } from "../domain/audit/audited-store.ts";
import { PROCESS } from "../domain/audit/audit.ts";
import { systemChance } from "../domain/context.ts";
import type { OutgoingMail } from "../outgoing/mail.ts";
import type { Post } from "../outgoing/post.ts";
import type { Store } from "../storage/store.ts";
import { newDispatcher, type Dispatcher } from "./dispatcher.ts";
import { newLease } from "../process/lease.ts";
import type { OutboxParts } from "./parts.ts";
import type { Templates } from "./email/template.ts";

/** How long the other processes wait before they take over from one that died. */
const LEASE_MS = 10_000;

/** The settings and services that the outbox of a process needs. */
export interface OutboxSettings {
  store: Store;
  log: Logger;
  logOutage: OutboxParts["logOutage"];
  post: Post;
  publicUrl: string;
  /** null: mail is not set up. */
  mail: OutgoingMail | null;
  templates: Templates;
}

/** Makes the outbox of a process. */
export function openOutbox(settings: OutboxSettings): Dispatcher {
  const { store, log, post, publicUrl, mail } = settings;
  const clock = () => new Date();
  return newDispatcher({
    // A receiver may complete the payout that it was told of.
    store: auditedStore(store, { actor: PROCESS, clock }),
    clock,
    chance: systemChance,
    log,
    logOutage: settings.logOutage,
    post,
    mailer: mail?.mailer ?? null,
    templates: settings.templates,
    publicUrl,
    lease: newLease(
      { store, elapsedMs: () => performance.now() },
      { name: "outbox", holder: randomUUID(), durationMs: LEASE_MS },
    ),
  });
}
