import { z } from "zod";
import { count } from "./count.ts";
import { refuseStandbys, storageSettings } from "./storage.ts";
import { parseUrl } from "../url.ts";

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Choice: a key taken over from another program may be short, but nobody must be able to guess it in a day.
 */
const MIN_KEY_LENGTH = 8;
const MIN_TOKEN_LENGTH = 16;
/** The minimum for every user's password. */
const MIN_PASSWORD_LENGTH = 8;
const METRICS_ADDRESS = /^(?:http:\/\/)?([^\s/:@[\]]+|\[[\da-f:.]+\]):(\d{1,5})\/?$/i;
const MAIL_SENDER = /^(?:[^\r\n<>]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/;

const settings = {
  PORT: count("3000").refine((port) => port <= 65_535, "must be at most 65535"),
  HOST: z.string().default("127.0.0.1"),
  ...storageSettings,
  PUBLIC_URL: z
    .string()
    .refine((value) => /^https?:\/\//.test(value) && parseUrl(value) !== null, {
      error: "must be an http(s) address, such as https://track.example.com",
      abort: true,
    })
    .refine(isPlain, "must have nothing but a host and a path, without //")
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
  RATE_LIMIT_V2: count("4500"),
  RATE_LIMIT_CLICKS: count("600"),
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
  DEMO: z.enum(["0", "1"], "must be 0 or 1").optional(),
  DEMO_DATA: z.enum(["0", "1"], "must be 0 or 1").default("0"),
};

/** The names of all settings. */
export const SETTINGS = Object.keys(settings);

/** The settings that may hold a secret, so each may come from a file: `SMTP_URL_FILE` instead of `SMTP_URL`. */
export const SECRET_SETTINGS = [
  "STORAGE_URL",
  "STORAGE_READ_URL",
  "TIDEMARK_API_KEY",
  "TIDEMARK_OWNER_PASSWORD",
  "SMTP_URL",
  "MAIL_TEMPLATES",
  "METRICS_TOKEN",
];

/** The environment variables as values that are checked. */
export const environment = z
  .object(settings)
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

/** Whether an address can have a path behind it. A redirect to the path `//evil.example` would leave the server. */
function isPlain(address: string): boolean {
  const { username, password, pathname } = new URL(address);
  return username + password === "" && !/[?#]/.test(address) && !pathname.replace(/\/+$/, "").includes("//");
}
