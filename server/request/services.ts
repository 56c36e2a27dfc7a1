import type { Logger } from "pino";
import { auditedStore } from "../domain/access/audit/audited-store.ts";
import type { Actor, Chance, Context } from "../domain/context.ts";
import type { Email } from "../domain/events/email.ts";
import type { AskVies } from "../domain/people/vat-number.ts";
import type { ShownBrand } from "../domain/program/account/brand.ts";
import { LOST_RACE, type Failure } from "../failure.ts";
import type { Language } from "../languages/languages.ts";
import type { WrittenEmail } from "../outgoing/email-text.ts";
import type { OutgoingMail } from "../outgoing/mail.ts";
import type { FetchPage } from "../outgoing/page.ts";
import type { Post } from "../outgoing/post.ts";
import type { Uploads } from "../outgoing/uploads.ts";
import type { Seal } from "../seal.ts";
import type { Store } from "../storage/store.ts";
import type { Metrics } from "./metrics.ts";
import type { SightingRecorder } from "./sighting-recorder.ts";
import {
  type CountPlace,
  failureLimiter,
  guessLimiter,
  rateLimiter,
  windowLimiter,
} from "../http/limits/rate-limit.ts";
import { publicLimit, type PublicLimit } from "./public-limit.ts";

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
  public_url: string;
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
  trust_proxy_hops: number;
  limits: Limits;
}

/**
 * The context of one operation. The clock is read here, once. `actor` is named in the audit log for the
 * changes. It is null for browsers and billing providers, whose events are records of their own.
 */
export function newContext(
  { store, clock, chance }: Pick<Services, "store" | "clock" | "chance">,
  actor: Actor | null = null,
): Context {
  const now = clock();
  if (actor === null) return { store, now, chance };
  return { store: auditedStore(store, { actor, clock: () => now }), now, chance, actor };
}

/** The context of tracking: its events are records of their own, so the log has only what else they change. */
export function trackingContext(
  { store, clock, chance }: Pick<Services, "store" | "clock" | "chance">,
  actor: Actor,
): Context {
  return { store, now: clock(), chance, actor };
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

/** Makes an outage log. A race that was lost for too long is no error: the store is well, and others got through. */
export function newOutageLog(log: Logger, clock: () => Date): OutageLog {
  const logRace = sparing(clock, (counts, { message }) => log.warn(counts, message));
  const logError = sparing(clock, (counts, { cause, message }) =>
    log.error({ err: cause, ...counts }, message),
  );
  return (failure) => (failure.cause === LOST_RACE ? logRace : logError)(failure);
}

/** Writes at most a line in a while. `unloggedCount` is the number of refusals left out since the last one. */
function sparing(
  clock: () => Date,
  write: (counts: { unloggedCount?: number }, failure: Failure) => void,
): OutageLog {
  let loggedAt = -Infinity;
  let unloggedCount = 0;
  return (failure) => {
    const now = clock().getTime();
    // `Math.abs` covers a clock that was set back. Otherwise nothing would be logged until it has caught up.
    if (Math.abs(now - loggedAt) < OUTAGE_LINE_PAUSE_MS) {
      unloggedCount += 1;
      return;
    }
    write(unloggedCount > 0 ? { unloggedCount } : {}, failure);
    loggedAt = now;
    unloggedCount = 0;
  };
}

const HOUR_SECONDS = 60 * 60;
const DAY_SECONDS = 24 * HOUR_SECONDS;
/** In a year, one attacker in a hundred would hit one of the three codes that are valid at a time. */
const WRONG_CODES = { wrongGuesses: 6, seconds: DAY_SECONDS };

/** How many are allowed, in a minute unless `newLimits` says otherwise. */
export const ALLOWED = {
  publicSignups: 60,
  publicQuestions: 600,
  /** Applications from one site per hour: enough for an office that was told of a program. */
  joinsBySite: 20,
  /** A provider sends all its events from a few addresses. */
  hooks: 3_000,
  /** Enough for an office behind one address at nine o'clock. */
  signIns: 30,
  /** A company may have many offices in a /48. */
  signInsBySite: 120,
  /** Enough for a person who mistypes. */
  signInsByPair: 10,
  /** Far too few to guess a password. */
  signInsByEmail: 100,
  signInEmails: 10,
  /** @see docs/spec/events.md "E-mails" */
  mailsByMailbox: 5,
  /** @see docs/spec/common.md "Authentication", 5 */
  authTokens: 1,
  failedAuthentication: 30,
  /** Enough for someone who comes back from a form and reloads the page. */
  outsideChecks: 10,
};

/** The numbers of all limits. 0: no limit. */
export type Allowed = typeof ALLOWED &
  Record<"v1" | "v2" | "publicClicks" | "clicksPerDay" | "signupsPerDay" | "joins", number>;

/** The limits of a server. */
type Limits = ReturnType<typeof newLimits>;

/** The names of the limits of what browsers send without a key. */
export type PublicLimitName = {
  [Name in keyof Limits]: Limits[Name] extends PublicLimit ? Name : never;
}[keyof Limits];

/** Makes the limits of a server, which all servers of one database share. */
export function newLimits(allowed: Allowed, database: CountPlace["database"] = null) {
  const limiting = (name: string, limitPerMinute: number) => ({ name, limitPerMinute, database });
  return {
    v1: rateLimiter(limiting("v1", allowed.v1)),
    v2: rateLimiter(limiting("v2", allowed.v2)),
    /** What browsers send without a key. @see docs/spec/tracking.md "What strangers can fill" */
    publicClicks: publicLimit({
      name: "clicks",
      database,
      perMinute: allowed.publicClicks,
      perDay: allowed.clicksPerDay,
    }),
    publicSignups: publicLimit({
      name: "signups",
      database,
      perMinute: allowed.publicSignups,
      perDay: allowed.signupsPerDay,
    }),
    /** Requests that store nothing. A withdrawal of consent must not wait for the next day. */
    publicQuestions: publicLimit({
      name: "questions",
      database,
      perMinute: allowed.publicQuestions,
      perDay: 0,
    }),
    /** Events of billing providers. */
    hooks: rateLimiter(limiting("hooks", allowed.hooks)),
    /** Attempts to sign in, by network. */
    signIns: rateLimiter(limiting("sign-ins", allowed.signIns)),
    /** Attempts to sign in, by the larger network that IPv6 networks are part of. */
    signInsBySite: rateLimiter(limiting("sign-ins-by-site", allowed.signInsBySite)),
    /** Attempts to sign in, by network and e-mail address together. Also those of a known browser. */
    signInsByPair: rateLimiter(limiting("sign-ins-by-pair", allowed.signInsByPair)),
    /** Attempts to sign in, by e-mail address, from all unknown browsers. */
    signInsByEmail: rateLimiter(limiting("sign-ins-by-email", allowed.signInsByEmail)),
    /** E-mails with a requested link, by recipient. */
    signInEmails: rateLimiter(limiting("sign-in-emails", allowed.signInEmails)),
    /** E-mails caused by unauthenticated requests, by mailbox and day. */
    mailsByMailbox: windowLimiter({
      name: "mails",
      database,
      limit: allowed.mailsByMailbox,
      seconds: DAY_SECONDS,
    }),
    /** Applications to a campaign per hour. */
    joins: windowLimiter({ name: "joins", database, limit: allowed.joins, seconds: HOUR_SECONDS }),
    /** Applications to all campaigns per hour, by the applicant's site. */
    joinsBySite: windowLimiter({
      name: "joins-by-site",
      database,
      limit: allowed.joinsBySite,
      seconds: HOUR_SECONDS,
    }),
    /** Wrong codes of a second factor. */
    wrongCodes: guessLimiter({ name: "wrong-codes", database, ...WRONG_CODES }),
    /** Sign-ins by an auth token in the portal's address, by token. */
    authTokens: rateLimiter(limiting("auth-tokens", allowed.authTokens)),
    failedAuthentication: failureLimiter(limiting("failures", allowed.failedAuthentication)),
    /** Requests that make the server ask another one about a promoter, by promoter. */
    outsideChecks: rateLimiter(limiting("outside-checks", allowed.outsideChecks)),
  };
}
