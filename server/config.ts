import { readFileSync } from "node:fs";
import { distance } from "fastest-levenshtein";
import { z } from "zod";
import { KEY_BYTES, readKeys } from "./seal.ts";
import { isLoopback, parseUrl } from "./url.ts";

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

/** Keys taken over from another program may be short, but must not be guessable within a day. */
const MIN_KEY_LENGTH = 8;
const MIN_TOKEN_LENGTH = 16;
/** The minimum for every user's password. */
const MIN_PASSWORD_LENGTH = 8;
const METRICS_ADDRESS = /^(?:http:\/\/)?([^\s/:@[\]]+|\[[\da-f:.]+\]):(\d{1,5})\/?$/i;
const DOMAIN = /^[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*$/;
const MAIL_SENDER = /^(?:[^\r\n<>]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/;
const HOST = /(?:[^\s:,@/?#[\]]+|\[[\da-f:.]+\])(?::\d{1,5})?/.source;
/** libpq's format: `postgres://user@a:5432,b:5433/database`. */
const HOST_LIST = new RegExp(`^postgres(ql)?://([^/?#]*@)?${HOST}(,${HOST})*([/?#].*)?$`, "i");

const MAILBOX = /^[^\s@<>"]+@[^\s@<>"]+$/;

const settings = {
  PORT: count("3000").refine((port) => port <= 65_535, "must be at most 65535"),
  HOST: z.string().default("127.0.0.1"),
  // Other schemes are refused when the store is opened.
  STORAGE_URL: z
    .string()
    .refine(
      (value) => !/^postgres(ql)?:.*,/.test(value) || HOST_LIST.test(value),
      "must name each host between commas, like postgres://user@a:5432,b:5433/database",
    )
    .default("sqlite:./data"),
  STORAGE_CONNECTIONS: count("10").refine((connections) => connections >= 2, "must be at least 2"),
  STORAGE_REQUIRE_STANDBY: z.enum(["0", "1", "always"], "must be 0, 1 or always").default("0"),
  PUBLIC_URL: z
    .string()
    .refine((value) => /^https?:\/\//.test(value) && parseUrl(value) !== null, {
      error: "must be an http(s) address, such as https://track.example.com",
      abort: true,
    })
    .refine(isPlain, "must have nothing but a host and a path, without //")
    .optional(),
  // It is written into a header and into the script tag, so only characters that are safe in both are
  // allowed.
  TIDEMARK_ACCOUNT_ID: z
    .string()
    .regex(/^[\w.-]{1,100}$/, "must be 1 to 100 letters, digits, dots, dashes or underscores")
    .optional(),
  TIDEMARK_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]+$/, "must be ASCII characters without spaces, because headers carry it")
    .min(MIN_KEY_LENGTH, `must have at least ${MIN_KEY_LENGTH} characters, because it opens everything`)
    .optional(),
  TIDEMARK_OWNER_EMAIL: z.string().regex(MAILBOX, "must be an e-mail address").max(254).optional(),
  TIDEMARK_OWNER_PASSWORD: z
    .string()
    .min(MIN_PASSWORD_LENGTH, `must have at least ${MIN_PASSWORD_LENGTH} characters`)
    .optional(),
  TIDEMARK_KEY_FILE: z.string().optional(),
  TIDEMARK_SECRET: z
    .string()
    .refine((text) => readKeys(text) !== null, `must be keys of ${KEY_BYTES} bytes in base64, one a line`)
    .optional(),
  TRUST_PROXY: count("0"),
  RATE_LIMIT_V1: count("450"),
  RATE_LIMIT_V2: count("4500"),
  RATE_LIMIT_CLICKS: count("600"),
  RATE_LIMIT_CLICKS_PER_DAY: count("200000"),
  RATE_LIMIT_SIGNUPS_PER_DAY: count("20000"),
  RATE_LIMIT_JOINS: count("100"),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(", ")}`).default("info"),
  SMTP_URL: z
    .string()
    .refine(
      (value) => /^smtps?:\/\/./i.test(value) && parseUrl(value) !== null,
      "must be an smtp(s) address, such as smtp://user:password@host:587",
    )
    .optional(),
  MAIL_FROM: z
    .string()
    .regex(MAIL_SENDER, 'must be an e-mail address, like me@acme.example or "Acme <me@acme.example>"')
    .default("tidemark@localhost"),
  MAIL_FROM_DOMAINS: z
    .string()
    .transform((value) => value.split(",").map((domain) => domain.trim().toLowerCase()))
    .refine(
      (domains) => domains.every((domain) => DOMAIN.test(domain)),
      "must be domains, separated by commas",
    )
    .default([]),
  FILES_URL: z.string().optional(),
  WEBHOOK_ALLOW_PRIVATE: z.enum(["0", "1"], "must be 0 or 1").default("0"),
  // Blank variables count as unset, so turning it off needs a word.
  VIES_URL: z
    .string()
    .refine(
      (value) => value === "off" || (/^https?:\/\//.test(value) && parseUrl(value) !== null),
      "must be an http(s) address, or off",
    )
    .default("https://ec.europa.eu/taxation_customs/vies/rest-api"),
  METRICS_URL: z
    .string()
    .regex(METRICS_ADDRESS, "must be a host and a port, like 127.0.0.1:9090")
    .transform((value) => {
      const [, host = "", port] = METRICS_ADDRESS.exec(value) ?? [];
      return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
    })
    .refine(({ port }) => port <= 65_535, "must have a port of at most 65535")
    .optional(),
  METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]+$/, "must be ASCII characters without spaces, because a header carries it")
    .min(MIN_TOKEN_LENGTH, `must have at least ${MIN_TOKEN_LENGTH} characters`)
    .optional(),
  SECURITY_CONTACT: z
    .string()
    .transform((value) => (MAILBOX.test(value) ? `mailto:${value}` : value))
    .refine(
      (value) => /^(mailto:|https:\/\/)[\x21-\x7e]+$/.test(value) && parseUrl(value) !== null,
      "must be an e-mail address or an https address",
    )
    .optional(),
  WORKERS: count("1").refine((workers) => workers >= 1 && workers <= 256, "must be from 1 to 256"),
  DEMO: z.enum(["0", "1"], "must be 0 or 1").optional(),
  DEMO_DATA: z.enum(["0", "1"], "must be 0 or 1").default("0"),
};

/** The names of all settings. */
export const SETTINGS = Object.keys(settings);

/**
 * The settings that may hold a secret, so each may come from a file: `SMTP_URL_FILE` instead of `SMTP_URL`.
 */
const SECRET_SETTINGS = [
  "STORAGE_URL",
  "TIDEMARK_API_KEY",
  "TIDEMARK_OWNER_PASSWORD",
  "TIDEMARK_SECRET",
  "SMTP_URL",
  "FILES_URL",
  "METRICS_TOKEN",
];

/** The environment variables, parsed and checked. */
const environment = z
  .object(settings)
  .refine(({ WORKERS, STORAGE_URL }) => WORKERS === 1 || STORAGE_URL !== "memory:", {
    path: ["WORKERS"],
    message: "must be 1 with STORAGE_URL memory:, because processes can't share memory",
  })
  .superRefine(refuseStandby)
  .refine(
    ({ TIDEMARK_OWNER_EMAIL, TIDEMARK_OWNER_PASSWORD }) =>
      (TIDEMARK_OWNER_EMAIL === undefined) === (TIDEMARK_OWNER_PASSWORD === undefined),
    { path: ["TIDEMARK_OWNER_EMAIL"], message: "and TIDEMARK_OWNER_PASSWORD must be set together" },
  );

/** The settings of a process. */
export interface Config {
  readonly port: number;
  readonly host: string;
  readonly storageUrl: string;
  /** The maximum of database connections of this process. */
  readonly storageConnections: number;
  /** Whether the operator requires a synchronous standby: warns without one, or always, and refuses changes without one. */
  readonly requiresStandby: boolean | "always";
  /** Without a trailing slash. Null: derived from the listening address. */
  readonly public_url: string | null;
  /** Public id of the first account, or null to generate one. */
  readonly account_id: string | null;
  /** Key of the first account, or null to generate one. */
  readonly apiKey: string | null;
  /** The file that a generated key is written to, or null to print the key. */
  readonly keyFile: string | null;
  /** The keys for secrets in the store: the first seals, all of them open. Empty: they are in `secretFile`. */
  readonly secretKeys: readonly Buffer[];
  /** The file of the keys, which the first start makes, or null for one beside the store. */
  readonly secretFile: string | null;
  /** The owner of the first account, or null to print a link that makes the owner. */
  readonly owner: { email: string; password: string } | null;
  readonly trust_proxy_hops: number;
  /** What operators can limit. */
  readonly rateLimits: {
    /** Requests per minute for each key; 0 for no limit. */
    readonly v1: number;
    /** Requests per minute for each account; 0 for no limit. */
    readonly v2: number;
    /** Clicks per minute from each address (IPv6: each /64 network); 0 for no limit. */
    readonly publicClicks: number;
    /** Clicks and public sign-ups in a day for each account, a tenth from each address; 0 for no limit. */
    readonly clicksPerDay: number;
    readonly signupsPerDay: number;
    /** Applications per campaign and hour. */
    readonly joins: number;
  };
  readonly logLevel: LogLevel;
  /** The metrics' own address, or null. */
  readonly metricsAt: { host: string; port: number } | null;
  /** The token that metrics require, at their own address or at ours, or null. */
  readonly metricsToken: string | null;
  /** Where weaknesses of the server are reported: `mailto:` or `https:`. Null: nowhere. */
  readonly securityContact: string | null;
  /** The number of serving processes. */
  readonly workers: number;
  readonly hasDemo: boolean;
  /** Whether an empty store gets a year of a made-up program. */
  readonly wantsDemoData: boolean;
  /** Null holds e-mails until it is set. */
  readonly smtpUrl: string | null;
  /** The sender of e-mails, unless the account has its own. */
  readonly mailFrom: string;
  /** Domains besides that of `mailFrom` that accounts may send from. */
  readonly mailDomains: string[];
  /** The place of all files: a folder, or a driver of unstorage. Null: a folder beside the store. */
  readonly filesUrl: string | null;
  /** Whether webhooks may lead to private addresses. */
  readonly allowsPrivateWebhooks: boolean;
  /** The API of VIES, which checks VAT numbers, without a trailing slash. Null: they are not checked there. */
  readonly viesUrl: string | null;
}

/**
 * Reads the settings from the environment and from the files that it names. Blank variables count as unset.
 * Values are trimmed, because a key from a file often ends with a newline, which no header can carry.
 *
 * @throws Error naming every variable that is wrong
 */
export function readConfig(variables: Record<string, string | undefined> = process.env): Config {
  const trimmed = Object.entries(variables).map(([name, value]) => [name, value?.trim()] as const);
  const given = Object.fromEntries(trimmed.filter(([, value]) => value !== ""));
  const { values, faults } = readSecretFiles(given);
  const parsed = environment.safeParse(values);
  faults.push(...(parsed.error?.issues ?? []).map(({ path, message }) => `${path.join(".")} ${message}`));
  if (!parsed.success || faults.length > 0)
    throw new Error(`These environment variables are wrong:\n  ${faults.join("\n  ")}`);
  const { data } = parsed;
  return Object.freeze({
    port: data.PORT,
    host: data.HOST,
    storageUrl: data.STORAGE_URL,
    storageConnections: data.STORAGE_CONNECTIONS,
    requiresStandby: { "0": false, "1": true, always: "always" as const }[data.STORAGE_REQUIRE_STANDBY],
    public_url: data.PUBLIC_URL?.replace(/\/+$/, "") ?? null,
    account_id: data.TIDEMARK_ACCOUNT_ID ?? null,
    apiKey: data.TIDEMARK_API_KEY ?? null,
    keyFile: data.TIDEMARK_KEY_FILE ?? null,
    secretKeys: (data.TIDEMARK_SECRET && readKeys(data.TIDEMARK_SECRET)) || [],
    secretFile: given["TIDEMARK_SECRET_FILE"] ?? null,
    owner: ownerOf(data.TIDEMARK_OWNER_EMAIL, data.TIDEMARK_OWNER_PASSWORD),
    trust_proxy_hops: data.TRUST_PROXY,
    rateLimits: {
      v1: data.RATE_LIMIT_V1,
      v2: data.RATE_LIMIT_V2,
      publicClicks: data.RATE_LIMIT_CLICKS,
      clicksPerDay: data.RATE_LIMIT_CLICKS_PER_DAY,
      signupsPerDay: data.RATE_LIMIT_SIGNUPS_PER_DAY,
      joins: data.RATE_LIMIT_JOINS,
    },
    logLevel: data.LOG_LEVEL,
    metricsAt: data.METRICS_URL ?? null,
    metricsToken: data.METRICS_TOKEN ?? null,
    securityContact: data.SECURITY_CONTACT ?? null,
    workers: data.WORKERS,
    hasDemo: data.DEMO === undefined ? isLocal(data) : data.DEMO === "1",
    wantsDemoData: data.DEMO_DATA === "1",
    smtpUrl: data.SMTP_URL ?? null,
    mailFrom: data.MAIL_FROM,
    mailDomains: data.MAIL_FROM_DOMAINS,
    filesUrl: data.FILES_URL ?? null,
    allowsPrivateWebhooks: data.WEBHOOK_ALLOW_PRIVATE === "1",
    viesUrl: data.VIES_URL === "off" ? null : data.VIES_URL.replace(/\/+$/, ""),
  });
}

const KNOWN = [...SETTINGS, ...SECRET_SETTINGS.map((name) => `${name}_FILE`)];
/** Variables with these prefixes are meant for us. `MAIL` alone exists in every shell. */
const OURS = /^(TIDEMARK|STORAGE|RATE_LIMIT|METRICS|SMTP|WEBHOOK)(?:_|$)|^(MAIL|DEMO)_/;
/** Kubernetes sets these for each service, including one named "tidemark". */
const OF_KUBERNETES = /_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP)(_|$)/;
const LIST = new Intl.ListFormat("en-GB", { type: "disjunction" });

/** A sentence for each variable that resembles a setting but is none, for example a mistyped one. */
export function settingWarnings(variables: Record<string, string | undefined> = process.env): string[] {
  return Object.entries(variables).flatMap(([name, value]) => {
    if (value === undefined || value.trim() === "" || KNOWN.includes(name)) return [];
    if (OF_KUBERNETES.test(name) || /^(tcp|udp):/.test(value)) return [];
    const meant = meantBy(name.toUpperCase());
    if (meant.length === 0) return [];
    return [`${name} is not a setting and has no effect. Did you mean ${LIST.format(meant)}?`];
  });
}

/** Reads the files named by `NAME_FILE` into `NAME`. Errors name variables only, never a value or a path. */
function readSecretFiles(variables: Record<string, string | undefined>): {
  values: Record<string, string | undefined>;
  faults: string[];
} {
  const values = { ...variables };
  const faults: string[] = [];
  for (const name of SECRET_SETTINGS) {
    const file = variables[`${name}_FILE`];
    if (file === undefined) continue;
    const text = readText(file);
    if (values[name] !== undefined) {
      faults.push(`${name}_FILE and ${name} are both set, so it is unclear which one counts: remove one`);
    } else if (name === "TIDEMARK_SECRET" && "code" in text && text.code === "ENOENT") {
      // The first start makes it.
    } else if ("code" in text) faults.push(`${name}_FILE names a file that can't be read (${text.code})`);
    else if (text.text === "") faults.push(`${name}_FILE names an empty file`);
    else values[name] = text.text;
  }
  return { values, faults };
}

function readText(file: string): { text: string } | { code: string } {
  try {
    return { text: readFileSync(file, "utf8").trim() };
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code ?? "unknown error" };
  }
}

/** Whether only browsers on this machine reach the server, as in a try-out. */
function isLocal({ PUBLIC_URL, HOST }: { PUBLIC_URL?: string | undefined; HOST: string }): boolean {
  const host = HOST.includes(":") ? `[${HOST}]` : HOST;
  return isLoopback(PUBLIC_URL === undefined ? host : (parseUrl(PUBLIC_URL)?.hostname ?? ""));
}

function ownerOf(email: string | undefined, password: string | undefined): Config["owner"] {
  return email === undefined || password === undefined ? null : { email, password };
}

/** The settings that a name may have been meant for. An empty list: it belongs to another program. */
function meantBy(name: string): string[] {
  const bare = name.replace(/^TIDEMARK_/, "").replace(/_FILE$/, "");
  const same = KNOWN.filter((known) => known === name || known === bare);
  if (same.length > 0) return same;
  const [nearest = Infinity] = KNOWN.map((known) => distance(known, name)).sort((a, b) => a - b);
  if (nearest <= allowedDistance(name)) return KNOWN.filter((known) => distance(known, name) === nearest);
  const [, long, short] = OURS.exec(name) ?? [];
  const prefix = long ?? short;
  return prefix === undefined ? [] : SETTINGS.filter((known) => known.startsWith(`${prefix}_`));
}

/**
 * The number of characters that may differ. Short names of other programs resemble ours by accident, like
 * `POST` and `PORT`.
 */
function allowedDistance({ length }: string): number {
  if (length < 6) return 0;
  return length < 8 ? 1 : 2;
}

/** A whole number. */
function count(fallback: string) {
  return z
    .string()
    .default(fallback)
    .refine((value) => /^\d{1,9}$/.test(value), "must be a whole number")
    .transform(Number);
}

/**
 * Whether a path can be appended to an address. A redirect to the path `//evil.example` would leave the
 * server.
 */
function isPlain(address: string): boolean {
  const { username, password, pathname } = new URL(address);
  return username + password === "" && !/[?#]/.test(address) && !pathname.replace(/\/+$/, "").includes("//");
}

const ONLY_POSTGRES = "needs a STORAGE_URL that is a postgres: address, because only Postgres has standbys";

/** Refuses to require a standby of a store that can have none. */
function refuseStandby(
  settings: { STORAGE_URL: string; STORAGE_REQUIRE_STANDBY: string },
  context: z.core.$RefinementCtx,
): void {
  if (/^postgres(ql)?:/.test(settings.STORAGE_URL)) return;
  if (settings.STORAGE_REQUIRE_STANDBY !== "0")
    context.addIssue({ code: "custom", path: ["STORAGE_REQUIRE_STANDBY"], message: ONLY_POSTGRES });
}
