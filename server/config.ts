import { environment, type LogLevel } from "./config/environment.ts";
import { readSecretFiles } from "./config/secret-files.ts";
import { isLoopback, parseUrl } from "./url.ts";

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
  /** Applications to one campaign in an hour. */
  readonly rateLimitJoins: number;
  readonly logLevel: LogLevel;
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
 * Reads the settings from the environment and from the files that it names. Blank variables count as unset. Values are
 * trimmed, because a key from a file often ends with a newline, which no header can carry.
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
    rateLimitJoins: data.RATE_LIMIT_JOINS,
    logLevel: data.LOG_LEVEL,
    metricsAt: data.METRICS_URL ?? null,
    metricsToken: data.METRICS_TOKEN ?? null,
    workers: data.WORKERS,
    hasDemo: data.DEMO === undefined ? isLocal(data) : data.DEMO === "1",
    wantsDemoData: data.DEMO_DATA === "1",
    smtpUrl: data.SMTP_URL ?? null,
    mailFrom: data.MAIL_FROM,
    mailTemplates: data.MAIL_TEMPLATES ?? null,
    allowsPrivateWebhooks: data.WEBHOOK_ALLOW_PRIVATE === "1",
  });
}

/** Whether only browsers of this machine reach the server, as in a try-out. */
function isLocal({ PUBLIC_URL, HOST }: { PUBLIC_URL?: string | undefined; HOST: string }): boolean {
  const host = HOST.includes(":") ? `[${HOST}]` : HOST;
  return isLoopback(PUBLIC_URL === undefined ? host : (parseUrl(PUBLIC_URL)?.hostname ?? ""));
}

function standbysOf(url: string | undefined, maxAgeSeconds: number): Config["standbys"] {
  return url === undefined ? null : { url, maxAgeSeconds };
}

function ownerOf(email: string | undefined, password: string | undefined): Config["owner"] {
  return email === undefined || password === undefined ? null : { email, password };
}
