import { randomBytes } from "node:crypto";
import type { H3 } from "h3";
import { pino } from "pino";
import { createStorage } from "unstorage";
import { createApp } from "../../server/app.ts";
import { createAccount } from "../../server/domain/access/account-creation.ts";
import { findAccount } from "../../server/domain/program/account/account.ts";
import type { Chance, Context } from "../../server/domain/context.ts";
import {
  ALLOWED,
  newLimits,
  type Allowed,
  newAfterwards,
  newContext,
  newOutageLog,
  type Services,
} from "../../server/request/services.ts";
import { newSightingRecorder } from "../../server/request/sighting-recorder.ts";
import { writeEmail, EMAIL_TEXTS } from "../../server/outbox/email-template.ts";
import { openMail } from "../../server/outgoing/mail.ts";
import { newFetchPage } from "../../server/outgoing/page.ts";
import { newPost } from "../../server/outgoing/post.ts";
import { newUploads } from "../../server/outgoing/uploads.ts";
import { newAskVies } from "../../server/outgoing/vies.ts";
import type { Store } from "../../server/storage/store.ts";
import type { BuiltPages } from "../../server/web/pages.ts";
import { storeText } from "../../server/http/answer.ts";
import { recordsIn, type Records } from "./records.ts";
import { temporaryStore, type STORAGES, type TemporaryStore } from "./temporary-store.ts";

export { STORAGES } from "./temporary-store.ts";

/** Values that look random and repeat in every run. */
export function countedChance(): Chance {
  let count = 0;
  return {
    token: (length) => String(++count).padStart(length, "t"),
    digits: (length) => String(++count).padStart(length, "1").slice(-length),
    uuid: () => `00000000-0000-4000-8000-${String(++count).padStart(12, "0")}`,
    passwordCost: { N: 2 ** 4, r: 1, p: 1 },
  };
}

export const NOW = "2026-03-04T05:06:07.890Z";
/** The same in whole seconds. V2 shows promoters, leads, commissions and payouts so. */
export const NOW_SECOND = "2026-03-04T05:06:07Z";
export const KEY = "key-of-acme";
export const CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36";

/** Nothing listens there. */
const NO_SERVER = "smtp://127.0.0.1:1";
export const SENDER = "Tidemark <mail@tidemark.example>";

const appFiles = (app: string) => ({
  script: `${app}-1.js`,
  preloads: [`${app}-2.js`],
  style: `${app}-3.css`,
  languages: {},
});

const SCRIPT = storeText("/* script */");
const MORE = storeText("/* more */");

/** Pages whose files hold nothing but a comment. */
export const BUILT_PAGES: BuiltPages = {
  apps: { dashboard: appFiles("dashboard"), portal: appFiles("portal"), join: appFiles("join") },
  texts: new Map([
    ["dashboard-1.js", "/* the dashboard's script */"],
    ["dashboard-3.css", "/* the dashboard's style */"],
  ]),
};

/** The real routes over a real store, with a clock that tests set. */
export interface TestApp {
  app: H3;
  services: Services;
  context: Context;
  account_id: number;
  /** Its store, if the test has not given it one. */
  stored: TemporaryStore;
  /** The account's records, for what no operation shows or makes. */
  records: Records;
  /** Moves the clock. */
  setNow(now: string): void;
  /** Log lines of bugs. */
  bugs: string[];
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Posts a V1 form with the account's key. */
  v1(path: string, params: Record<string, string>, headers?: Record<string, string>): Promise<Answer>;
  /** Calls V2 with the account's key. A body is sent as JSON. */
  v2(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Posts a browser's form from a page of the landing site. */
  browser(path: string, params: Record<string, string>, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

/** An answer as tests compare it. */
export interface Answer {
  status: number;
  body: unknown;
  headers: Headers;
}

/** A test sends many requests in a minute, and guesses few keys. */
const UNLIMITED: Allowed = {
  ...(Object.fromEntries(Object.keys(ALLOWED).map((name) => [name, 0])) as typeof ALLOWED),
  v1: 0,
  v2: 0,
  publicClicks: 0,
  clicksPerDay: 0,
  signupsPerDay: 0,
  joins: 0,
  failedAuthentication: 5,
};

/** Starts the app with the account `acme`. */
export async function startApp(
  kind: (typeof STORAGES)[number] = "memory",
  options: Partial<Allowed> & {
    has_mail?: boolean;
    smtpUrl?: string;
    allowsPrivateWebhooks?: boolean;
    viesUrl?: string;
    store?: Store;
    chance?: Chance;
    public_url?: string;
    built?: BuiltPages;
    docsViewer?: string;
    securityContact?: string;
    /** Whether the store has the account already. */
    isFilled?: boolean;
  } = {},
): Promise<TestApp> {
  const stored = options.store === undefined ? await temporaryStore(kind) : null;
  const store = options.store ?? stored!.store;
  const bugs: string[] = [];
  let now = NOW;
  const clock = () => new Date(now);
  const log = pino({ level: "error" }, { write: (line: string) => void bugs.push(line) });
  const services: Services = {
    store,
    clock,
    chance: options.chance ?? countedChance(),
    log,
    logOutage: newOutageLog(log, clock),
    sightings: newSightingRecorder({ store, log, clock }, () => {}),
    metrics: null,
    public_url: options.public_url ?? "https://track.acme.example",
    mail:
      options.has_mail === false ? null : openMail({ smtpUrl: options.smtpUrl ?? NO_SERVER, from: SENDER }),
    writeEmail: (email) => writeEmail(EMAIL_TEXTS, email),
    afterwards: newAfterwards(log),
    seal: store.seal,
    post: newPost({ allowsPrivate: options.allowsPrivateWebhooks ?? false }),
    fetchPage: newFetchPage({ allowsPrivate: options.allowsPrivateWebhooks ?? false }),
    vies: options.viesUrl === undefined ? null : newAskVies(options.viesUrl),
    uploads: newUploads(createStorage(), (length) => randomBytes(length).toString("hex").slice(0, length)),
    trust_proxy_hops: 1,
    limits: newLimits({ ...UNLIMITED, ...options }),
  };
  const made = { name: "Acme", public_id: "acme", landing_url: "https://www.acme.example/", key: KEY };
  const account = options.isFilled
    ? (await findAccount(store, "acme"))!
    : (await createAccount(newContext(services), made)).account;
  const app = createApp(services, {
    script: SCRIPT,
    more: MORE,
    built: options.built ?? BUILT_PAGES,
    docsViewer: options.docsViewer ?? "/* viewer */",
    hasDemo: true,
    metricsToken: null,
    securityContact: options.securityContact ?? null,
  });
  const request = async (path: string, init?: RequestInit) => app.request(path, init);
  return {
    app,
    services,
    context: newContext(services),
    account_id: account.id,
    get stored() {
      if (stored === null) throw new Error("The test has a store of its own");
      return stored;
    },
    records: recordsIn(store, account.id),
    bugs,
    setNow: (instant) => void (now = instant),
    request,
    v1: async (path, params, headers = {}) =>
      answerOf(await request(`/api/v1${path}`, form(params, { "x-api-key": KEY, ...headers }))),
    v2: async (method, path, body, headers = {}) =>
      answerOf(
        await request(`/api/v2/company${path}`, {
          method,
          headers: {
            authorization: `Bearer ${KEY}`,
            "account-id": "acme",
            "content-type": "application/json",
            ...headers,
          },
          ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
        }),
      ),
    browser: async (path, params, headers = {}) =>
      answerOf(
        await request(
          path,
          form(
            { cid: "acme", ...params },
            { origin: "https://www.acme.example", "user-agent": CHROME, ...headers },
          ),
        ),
      ),
    close: async () => {
      await services.afterwards.settle();
      services.post.close();
      services.mail?.mailer.close();
      return store.close();
    },
  };
}

/** A form post. */
export function form(params: Record<string, string>, headers: Record<string, string> = {}): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams(params).toString(),
  };
}

/** Reads an answer. Its body is parsed if it is JSON. */
export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers };
}
