import type { Logger } from "pino";
import { auditedStore } from "../domain/access/audit/audited-store.ts";
import type { Actor, Chance, Context } from "../domain/context.ts";
import type { Email } from "../domain/events/email.ts";
import type { AskVies } from "../domain/people/vat-check.ts";
import type { ShownBrand } from "../domain/program/account/brand.ts";
import type { Failure } from "../failure.ts";
import type { Language } from "../languages/languages.ts";
import type { WrittenEmail } from "../outgoing/email-text.ts";
import type { OutgoingMail } from "../outgoing/mail.ts";
import type { FetchPage } from "../outgoing/page.ts";
import type { Post } from "../outgoing/post.ts";
import type { Uploads } from "../outgoing/uploads.ts";
import type { Seal } from "../seal.ts";
import type { Store } from "../storage/store.ts";
import type { Limits } from "./limits.ts";
import type { Metrics } from "./metrics.ts";
import type { SightingRecorder } from "./sighting-recorder.ts";

/** What routes share: the store, the edges of the process, and the limits. */
export interface Services {
  store: Store;
  clock: () => Date;
  chance: Chance;
  log: Logger;
  /** Logs refusals caused by an outage of the store. */
  logOutage: OutageLog;
  /** Records how the server is used, for `tidemark doctor`. */
  sightings: SightingRecorder;
  /** Null if metrics are off. */
  metrics: Metrics | null;
  publicUrl: string;
  /** Null if mail is not set up. */
  mail: OutgoingMail | null;
  /** Encrypts the secrets of payment providers. */
  seal: Seal;
  /** Posts to receivers of webhooks. */
  post: Post;
  /** Fetches a page of a company's site. */
  fetchPage: FetchPage;
  /** Asks VIES about VAT numbers. Null if that is turned off. */
  vies: AskVies | null;
  /** Keeps files that were uploaded. */
  uploads: Uploads;
  afterwards: Afterwards;
  /** Writes an e-mail to a promoter, from the operator's own template if there is one. */
  writeEmail: (
    email: Pick<Email, "kind" | "values"> & { language?: Language; brand?: ShownBrand | null },
  ) => WrittenEmail;
  /** The number of proxies in front of the server. Only their entries in `X-Forwarded-For` are trusted. */
  trustProxyHops: number;
  limits: Limits;
}

/**
 * The context of one operation. The clock is read here, once. `actor` is named in the audit log for the
 * changes. It is null for tracking, whose events have records of their own.
 */
export function newContext(
  { store, clock, chance }: Pick<Services, "store" | "clock" | "chance">,
  actor: Actor | null = null,
): Context {
  const now = clock();
  if (actor === null) return { store, now, chance };
  return { store: auditedStore(store, { actor, clock: () => now }), now, chance, actor };
}

/** Work that is done after an answer, so that the response time does not reveal it. */
export interface Afterwards {
  run(work: () => Promise<void>): void;
  /** Resolves when all of it is finished. */
  settle(): Promise<void>;
}

/** Makes the list of unfinished work. Errors are logged, because no caller waits for them. */
export function newAfterwards(log: Logger): Afterwards {
  const underWay = new Set<Promise<void>>();
  return {
    run(work) {
      const done = new Promise((next) => void setImmediate(next))
        .then(work)
        .catch((error: unknown) => log.error({ err: error }, "work after an answer failed"))
        .finally(() => void underWay.delete(done));
      underWay.add(done);
    },
    async settle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

/** The pause between two lines. */
const OUTAGE_LINE_PAUSE_MS = 10_000;

/**
 * Logs that the store can't be used. During an outage every request is refused, and a line for each would
 * bury all other lines.
 */
export type OutageLog = (failure: Failure) => void;

/** Makes an outage log. `unloggedCount` is the number of refusals left out since the last line. */
export function newOutageLog(log: Logger, clock: () => Date): OutageLog {
  let loggedAt = -Infinity;
  let unloggedCount = 0;
  return ({ cause, message }) => {
    const now = clock().getTime();
    // `Math.abs` covers a clock that was set back. Otherwise nothing would be logged until it has caught up.
    if (Math.abs(now - loggedAt) < OUTAGE_LINE_PAUSE_MS) {
      unloggedCount += 1;
      return;
    }
    log.error({ err: cause, ...(unloggedCount > 0 && { unloggedCount }) }, message);
    loggedAt = now;
    unloggedCount = 0;
  };
}
