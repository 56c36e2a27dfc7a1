import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { systemChance } from "../domain/context.ts";
import { newMailer } from "../outgoing/mailer.ts";
import type { Post } from "../outgoing/post.ts";
import type { Store } from "../storage/store.ts";
import { newDispatcher, type Dispatcher } from "./dispatcher.ts";
import { newLease } from "./lease.ts";
import type { OutboxParts } from "./parts.ts";
import { readTemplates } from "./template.ts";

/** How long others wait for a process that died before one of them goes on with its work. */
const LEASE_MS = 10_000;

/** What the outbox of a process is made of. */
export interface OutboxSettings {
  store: Store;
  log: Logger;
  logOutage: OutboxParts["logOutage"];
  post: Post;
  publicUrl: string;
  smtpUrl: string | null;
  mailFrom: string;
  /** Where the operator's own letters are. null: nowhere. */
  mailTemplates: string | null;
  isBusy: () => boolean;
}

/** Makes the outbox of a process. @throws Error for letters that can't be read */
export function openOutbox(settings: OutboxSettings): Dispatcher {
  const { store, log, post, publicUrl, smtpUrl, mailFrom } = settings;
  return newDispatcher(
    {
      store,
      clock: () => new Date(),
      chance: systemChance,
      log,
      logOutage: settings.logOutage,
      post,
      mailer: smtpUrl === null ? null : newMailer({ smtpUrl, from: mailFrom }),
      templates: readTemplates(settings.mailTemplates),
      publicUrl,
      lease: newLease(
        { store, elapsedMs: () => performance.now() },
        { name: "outbox", holder: randomUUID(), durationMs: LEASE_MS },
      ),
    },
    settings.isBusy,
  );
}
