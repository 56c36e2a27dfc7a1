import { z } from "zod";
import { count } from "./config/count.ts";
import { refuseStandbys, storageSettings } from "./config/storage.ts";
import { parseUrl } from "./url.ts";

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

/**
 * Choice: a key taken over from another program may be short, but nobody must be able to guess it in a day.
 */
const MIN_KEY_LENGTH = 8;
const MIN_TOKEN_LENGTH = 16;
/** The minimum for every user's password. */
const MIN_PASSWORD_LENGTH = 8;
const METRICS_ADDRESS = /^(?:http:\/\/)?([^\s/:@[\]]+|\[[\da-f:.]+\]):(\d{1,5})\/?$/i;
const MAIL_SENDER = /^(?:[^\r\n<>]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/;

const environment = z
  .object({
    PORT: count("3000").refine((port) => port <= 65_535, "must be at most 65535"),
    HOST: z.string().default("127.0.0.1"),
    ...storageSettings,
    PUBLIC_URL: z
      .string()
      .refine((value) => /^https?:\/\//.test(value) && parseUrl(value) !== null, "must be an http(s) address")
      .optional(),
    // Goes into a header and into the script tag, so only characters that both take unchanged are allowed.
    TIDEMARK_ACCOUNT_ID: z
      .string()
      .regex(/^[\w.-]{1,100}$/, "must be 1 to 100 letters, digits, dots, dashes or underscores")
      .optional(),
    TIDEMARK_API_KEY: z
      .string()
      .regex(/^[\x21-\x7e]+$/, "must be ASCII characters without spaces, because headers carry it")
      .min(MIN_KEY_LENGTH, `must have at least ${MIN_KEY_LENGTH} characters, because it opens everything`)
      .optional(),
    TIDEMARK_OWNER_EMAIL: z
      .string()
      .regex(/^[^\s@<>"]+@[^\s@<>"]+$/, "must be an e-mail address")
      .max(254)
      .optional(),
    TIDEMARK_OWNER_PASSWORD: z
      .string()
      .min(MIN_PASSWORD_LENGTH, `must have at least ${MIN_PASSWORD_LENGTH} characters`)
      .optional(),
    TIDEMARK_KEY_FILE: z.string().optional(),
    TRUST_PROXY: count("0"),
    RATE_LIMIT_V1: count("450"),
    RATE_LIMIT_V2: count("0"),
    RATE_LIMIT_CLICKS: count("600"),
    LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(", ")}`).default("info"),
    SMTP_URL: z
      .string()
      .refine(
        (value) => /^smtps?:\/\/./i.test(value) && parseUrl(value) !== null,
        "must be an smtp(s) address",
      )
      .optional(),
    MAIL_FROM: z
      .string()
      .regex(MAIL_SENDER, 'must be an e-mail address, like me@acme.example or "Acme <me@acme.example>"')
      .default("tidemark@localhost"),
    MAIL_TEMPLATES: z.string().optional(),
    WEBHOOK_ALLOW_PRIVATE: z.enum(["0", "1"], "must be 0 or 1").default("0"),
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
    WORKERS: count("1").refine((workers) => workers >= 1 && workers <= 256, "must be from 1 to 256"),
    DEMO: z.enum(["0", "1"], "must be 0 or 1").default("1"),
    DEMO_DATA: z.enum(["0", "1"], "must be 0 or 1").default("0"),
  })
  .refine(({ WORKERS, STORAGE_URL }) => WORKERS === 1 || STORAGE_URL !== "memory:", {
    path: ["WORKERS"],
    message: "must be 1 with STORAGE_URL memory:, because processes can't share memory",
  })
  .superRefine(refuseStandbys)
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
  /** How many connections to a database this process may open. */
  readonly storageConnections: number;
  /** Whether the operator asks for a synchronous standby. */
  readonly requiresStandby: boolean;
  /** Where reports may be read from, and how old their data may be. null: where everything is. */
  readonly standbys: { url: string; maxAgeSeconds: number } | null;
  /** Without a trailing slash. null: derived from where the server listens. */
  readonly publicUrl: string | null;
  /** Public id of the first account. null: generated. */
  readonly accountId: string | null;
  /** Key of the first account. null: generated. */
  readonly apiKey: string | null;
  /** The file that a generated key is written to. null: the key is printed. */
  readonly keyFile: string | null;
  /** Who owns the first account. null: a link is printed that makes the owner. */
  readonly owner: { email: string; password: string } | null;
  readonly trustProxyHops: number;
  /** Requests per minute for each key; 0 for no limit. */
  readonly rateLimitV1: number;
  /** Requests per minute for each account; 0 for no limit. */
  readonly rateLimitV2: number;
  /** Clicks per minute from each address (IPv6: each /64 network); 0 for no limit. */
  readonly rateLimitClicks: number;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** The metrics' own address. null: none. */
  readonly metricsAt: { host: string; port: number } | null;
  /** The token that metrics require, at their own address or at ours. null: none. */
  readonly metricsToken: string | null;
  /** How many processes serve. */
  readonly workers: number;
  readonly hasDemo: boolean;
  /** Whether an empty store gets a year of a made-up program. */
  readonly wantsDemoData: boolean;
  /** null: e-mails are held until it is set. */
  readonly smtpUrl: string | null;
  /** The sender of e-mails, unless the account has its own. */
  readonly mailFrom: string;
  /** Where the operator's own e-mail templates are: a folder, or a driver of unstorage. null: ours. */
  readonly mailTemplates: string | null;
  /** Whether webhooks may lead to private addresses. */
  readonly allowsPrivateWebhooks: boolean;
}

/**
 * Reads the settings from the environment. Blank variables count as unset. Values are trimmed, because a key
 * from a file often ends with a newline, which no header can carry.
 *
 * @throws Error naming every variable that is wrong
 */
export function readConfig(variables: Record<string, string | undefined> = process.env): Config {
  const trimmed = Object.entries(variables).map(([name, value]) => [name, value?.trim()] as const);
  const given = Object.fromEntries(trimmed.filter(([, value]) => value !== ""));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `  ${path.join(".")} ${message}`);
    throw new Error(`These environment variables are wrong:\n${faults.join("\n")}`);
  }
  const { data } = parsed;
  return Object.freeze({
    port: data.PORT,
    host: data.HOST,
    storageUrl: data.STORAGE_URL,
    storageConnections: data.STORAGE_CONNECTIONS,
    requiresStandby: data.STORAGE_REQUIRE_STANDBY === "1",
    standbys: standbysOf(data.STORAGE_READ_URL, data.STORAGE_READ_MAX_AGE),
    publicUrl: data.PUBLIC_URL?.replace(/\/+$/, "") ?? null,
    accountId: data.TIDEMARK_ACCOUNT_ID ?? null,
    apiKey: data.TIDEMARK_API_KEY ?? null,
    keyFile: data.TIDEMARK_KEY_FILE ?? null,
    owner: ownerOf(data.TIDEMARK_OWNER_EMAIL, data.TIDEMARK_OWNER_PASSWORD),
    trustProxyHops: data.TRUST_PROXY,
    rateLimitV1: data.RATE_LIMIT_V1,
    rateLimitV2: data.RATE_LIMIT_V2,
    rateLimitClicks: data.RATE_LIMIT_CLICKS,
    logLevel: data.LOG_LEVEL,
    metricsAt: data.METRICS_URL ?? null,
    metricsToken: data.METRICS_TOKEN ?? null,
    workers: data.WORKERS,
    hasDemo: data.DEMO === "1",
    wantsDemoData: data.DEMO_DATA === "1",
    smtpUrl: data.SMTP_URL ?? null,
    mailFrom: data.MAIL_FROM,
    mailTemplates: data.MAIL_TEMPLATES ?? null,
    allowsPrivateWebhooks: data.WEBHOOK_ALLOW_PRIVATE === "1",
  });
}

function standbysOf(url: string | undefined, maxAgeSeconds: number): Config["standbys"] {
  return url === undefined ? null : { url, maxAgeSeconds };
}

function ownerOf(email: string | undefined, password: string | undefined): Config["owner"] {
  return email === undefined || password === undefined ? null : { email, password };
}
