import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { auditedStore } from "../domain/audit/audited-store.ts";
import { PROCESS } from "../domain/audit/record.ts";
import { systemChance } from "../domain/context.ts";
import type { Mailer, MailSettings } from "../outgoing/mailer.ts";
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
export async function openOutbox(settings: OutboxSettings): Promise<Dispatcher> {
  const { store, log, post, publicUrl, smtpUrl, mailFrom } = settings;
  const clock = () => new Date();
  return newDispatcher({
    // A receiver may complete the payout that it was told of.
    store: auditedStore(store, { actor: PROCESS, clock }),
    clock,
    chance: systemChance,
    log,
    logOutage: settings.logOutage,
    post,
    mailer: smtpUrl === null ? null : await openMailer({ smtpUrl, from: mailFrom }),
    templates: settings.templates,
    publicUrl,
    lease: newLease(
      { store, elapsedMs: () => performance.now() },
      { name: "outbox", holder: randomUUID(), durationMs: LEASE_MS },
    ),
  });
}

/** Most servers send no e-mails, and the library takes a while to load. */
async function openMailer(settings: MailSettings): Promise<Mailer> {
  const { newMailer } = await import("../outgoing/mailer.ts");
  return newMailer(settings);
}
