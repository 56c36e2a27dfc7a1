import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { systemChance } from "../domain/context.ts";
import { newMailer } from "../outgoing/mailer.ts";
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
  smtpUrl: string | null;
  mailFrom: string;
  templates: Templates;
}

/** Makes the outbox of a process. */
export function openOutbox(settings: OutboxSettings): Dispatcher {
  const { store, log, post, publicUrl, smtpUrl, mailFrom } = settings;
  return newDispatcher({
    store,
    clock: () => new Date(),
    chance: systemChance,
    log,
    logOutage: settings.logOutage,
    post,
    mailer: smtpUrl === null ? null : newMailer({ smtpUrl, from: mailFrom }),
    templates: settings.templates,
    publicUrl,
    lease: newLease(
      { store, elapsedMs: () => performance.now() },
      { name: "outbox", holder: randomUUID(), durationMs: LEASE_MS },
    ),
  });
}
