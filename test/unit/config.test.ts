import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readConfig, settingWarnings } from "../../server/config.ts";
import { temporaryFolder } from "../support/server.ts";

const USUAL = {
  port: 3000,
  host: "127.0.0.1",
  storageUrl: "sqlite:./data",
  storageConnections: 10,
  requiresStandby: false,
  public_url: null,
  account_id: null,
  apiKey: null,
  keyFile: null,
  secretKeys: [],
  secretFile: null,
  owner: null,
  metricsAt: null,
  metricsToken: null,
  securityContact: null,
  workers: 1,
  trust_proxy_hops: 0,
  rateLimits: {
    v1: 450,
    v2: 4_500,
    publicClicks: 600,
    clicksPerDay: 200_000,
    signupsPerDay: 20_000,
    joins: 100,
  },
  logLevel: "info",
  hasDemo: true,
  wantsDemoData: false,
  smtpUrl: null,
  mailFrom: "tidemark@localhost",
  mailDomains: [],
  filesUrl: null,
  allowsPrivateWebhooks: false,
  viesUrl: "https://ec.europa.eu/taxation_customs/vies/rest-api",
};

const EVERY = {
  PORT: "8080",
  HOST: "::",
  STORAGE_URL: "memory:",
  STORAGE_CONNECTIONS: "4",
  PUBLIC_URL: "https://track.acme.example/",
  TIDEMARK_ACCOUNT_ID: "acme",
  TIDEMARK_API_KEY: "key-of-acme",
  TIDEMARK_KEY_FILE: "/data/first-key",
  TIDEMARK_SECRET: `${Buffer.alloc(32, "a").toString("base64")}\n${Buffer.alloc(32, "b").toString("base64")}`,
  TIDEMARK_OWNER_EMAIL: "alex@acme.example",
  TIDEMARK_OWNER_PASSWORD: "correct horse battery",
  TRUST_PROXY: "2",
  RATE_LIMIT_V1: "0",
  RATE_LIMIT_V2: "100",
  RATE_LIMIT_CLICKS: "1200",
  RATE_LIMIT_CLICKS_PER_DAY: "5",
  RATE_LIMIT_SIGNUPS_PER_DAY: "6",
  RATE_LIMIT_JOINS: "1000",
  LOG_LEVEL: "silent",
  METRICS_URL: "127.0.0.1:9090",
  METRICS_TOKEN: "token-of-prometheus",
  SECURITY_CONTACT: "security@acme.example",
  WORKERS: "1",
  DEMO: "0",
  DEMO_DATA: "1",
  SMTP_URL: "smtps://acme:secret@mail.example:465",
  MAIL_FROM: "Acme <partners@acme.example>",
  MAIL_FROM_DOMAINS: "beta.example, Acme.example",
  FILES_URL: "s3:?bucket=files",
  WEBHOOK_ALLOW_PRIVATE: "1",
  VIES_URL: "https://vies.acme.example/api/",
};

describe("the settings", () => {
  it.each([
    ["nothing is set", {}],
    ["only strangers are set", { PATH: "/bin", DEBUG: "1" }],
    ["everything is blank", Object.fromEntries(Object.keys(EVERY).map((name) => [name, ""]))],
    ["everything is spaces", Object.fromEntries(Object.keys(EVERY).map((name) => [name, " \n"]))],
    ["everything is undefined", Object.fromEntries(Object.keys(EVERY).map((name) => [name, undefined]))],
  ])("have their defaults if %s", (_, variables) => {
    expect(readConfig(variables)).toEqual(USUAL);
  });

  it("are those of the environment", () => {
    expect(readConfig(EVERY)).toEqual({
      port: 8080,
      host: "::",
      storageUrl: "memory:",
      storageConnections: 4,
      requiresStandby: false,
      public_url: "https://track.acme.example",
      account_id: "acme",
      apiKey: "key-of-acme",
      keyFile: "/data/first-key",
      secretKeys: [Buffer.alloc(32, "a"), Buffer.alloc(32, "b")],
      secretFile: null,
      owner: { email: "alex@acme.example", password: "correct horse battery" },
      metricsAt: { host: "127.0.0.1", port: 9090 },
      metricsToken: "token-of-prometheus",
      securityContact: "mailto:security@acme.example",
      workers: 1,
      trust_proxy_hops: 2,
      rateLimits: { v1: 0, v2: 100, publicClicks: 1_200, clicksPerDay: 5, signupsPerDay: 6, joins: 1_000 },
      logLevel: "silent",
      hasDemo: false,
      wantsDemoData: true,
      smtpUrl: "smtps://acme:secret@mail.example:465",
      mailFrom: "Acme <partners@acme.example>",
      mailDomains: ["beta.example", "acme.example"],
      filesUrl: "s3:?bucket=files",
      allowsPrivateWebhooks: true,
      viesUrl: "https://vies.acme.example/api",
    });
  });

  it.each([
    ["PORT", "0", { port: 0 }],
    ["PORT", "65535", { port: 65_535 }],
    ["PUBLIC_URL", "http://10.0.0.1:3000", { public_url: "http://10.0.0.1:3000", hasDemo: false }],
    [
      "PUBLIC_URL",
      "https://acme.example/track//",
      { public_url: "https://acme.example/track", hasDemo: false },
    ],
    ["TIDEMARK_API_KEY", "key-of-acme\n", { apiKey: "key-of-acme" }],
    ["TIDEMARK_ACCOUNT_ID", " acme ", { account_id: "acme" }],
    ["DEMO", "1", { hasDemo: true }],
    ["VIES_URL", "off", { viesUrl: null }],
    ...["postgres://me:a,b@a:1,[::1]:2,b/db?sslmode=require", "postgres:///db?host=/run/postgresql"].map(
      (url): [string, string, object] => ["STORAGE_URL", url, { storageUrl: url }],
    ),
    ["METRICS_URL", "http://[::1]:80/", { metricsAt: { host: "::1", port: 80 } }],
    ["METRICS_URL", "metrics.internal:9090", { metricsAt: { host: "metrics.internal", port: 9_090 } }],
    ["WORKERS", "4", { workers: 4 }],
    ["LOG_LEVEL", "trace", { logLevel: "trace" }],
  ])("have of %s %j %o and otherwise the defaults", (name, value, change) => {
    expect(readConfig({ [name]: value })).toEqual({ ...USUAL, ...change });
  });

  it("can require a standby of Postgres", () => {
    const variables = {
      STORAGE_URL: "postgres://a,b/db",
      STORAGE_REQUIRE_STANDBY: "1",
    };
    expect(readConfig(variables)).toEqual({
      ...USUAL,
      storageUrl: "postgres://a,b/db",
      requiresStandby: true,
    });
    expect(readConfig({ ...variables, STORAGE_REQUIRE_STANDBY: "always" })).toMatchObject({
      requiresStandby: "always",
    });
  });

  it.each([
    [{}, true],
    [{ PUBLIC_URL: "http://localhost:8080" }, true],
    [{ PUBLIC_URL: "http://127.0.0.1" }, true],
    [{ PUBLIC_URL: "http://[::1]:3000" }, true],
    [{ HOST: "::1" }, true],
    [{ HOST: "0.0.0.0", PUBLIC_URL: "http://localhost:3000" }, true],
    [{ PUBLIC_URL: "https://track.acme.example" }, false],
    [{ PUBLIC_URL: "https://localhost.acme.example" }, false],
    [{ HOST: "192.168.1.5" }, false],
    [{ PUBLIC_URL: "https://track.acme.example", DEMO: "1" }, true],
    [{ DEMO: "0" }, false],
  ])("have for %j the demo page: %j", (variables, hasDemo) => {
    expect(readConfig(variables).hasDemo).toBe(hasDemo);
  });

  it("can't be changed", () => {
    expect(Object.isFrozen(readConfig({}))).toBe(true);
  });
});

describe("the environment", () => {
  const LEVELS = "must be one of fatal, error, warn, info, debug, trace, silent";
  const ONLY_POSTGRES = "needs a STORAGE_URL that is a postgres: address, because only Postgres has standbys";
  const LIST = "must name each host between commas, like postgres://user@a:5432,b:5433/database";
  it.each([
    ["PORT", "x", "must be a whole number"],
    ["PORT", "-1", "must be a whole number"],
    ["PORT", "80.5", "must be a whole number"],
    ["PORT", "65536", "must be at most 65535"],
    ["PUBLIC_URL", "track.acme.example", "must be an http(s) address, such as https://track.example.com"],
    [
      "PUBLIC_URL",
      "ftp://track.acme.example",
      "must be an http(s) address, such as https://track.example.com",
    ],
    ["PUBLIC_URL", "http://", "must be an http(s) address, such as https://track.example.com"],
    // Links and redirects are this address with a path behind it.
    ...["//evil.example", "/a//b", "/?page=1", "/#", ":me@evil.example", "\\\\evil.example"].map((end) => [
      "PUBLIC_URL",
      `https://acme.example${end}`,
      "must have nothing but a host and a path, without //",
    ]),
    ["STORAGE_CONNECTIONS", "1", "must be at least 2"],
    ["STORAGE_REQUIRE_STANDBY", "yes", "must be 0, 1 or always"],
    ["STORAGE_REQUIRE_STANDBY", "1", ONLY_POSTGRES],
    ["STORAGE_REQUIRE_STANDBY", "always", ONLY_POSTGRES],
    ["STORAGE_URL", "postgres://me@a,,b/db", LIST],
    ["STORAGE_URL", "postgres://me@a:5432,b:x/db", LIST],
    ["STORAGE_URL", "postgres://a,/db", LIST],
    ["TIDEMARK_OWNER_EMAIL", "alex@acme.example", "and TIDEMARK_OWNER_PASSWORD must be set together"],
    ["TRUST_PROXY", "true", "must be a whole number"],
    ["RATE_LIMIT_V1", "1e3", "must be a whole number"],
    ["RATE_LIMIT_V2", "1000000000", "must be a whole number"],
    ["RATE_LIMIT_CLICKS", "many", "must be a whole number"],
    ["LOG_LEVEL", "loud", LEVELS],
    ["DEMO", "yes", "must be 0 or 1"],
    ["DEMO_DATA", "true", "must be 0 or 1"],
    ["SMTP_URL", "mail.example:25", "must be an smtp(s) address, such as smtp://user:password@host:587"],
    ["TIDEMARK_ACCOUNT_ID", 'a"b', "must be 1 to 100 letters, digits, dots, dashes or underscores"],
    ["TIDEMARK_API_KEY", "key of acme", "must be ASCII characters without spaces, because headers carry it"],
    ["TIDEMARK_API_KEY", "schlüssel", "must be ASCII characters without spaces, because headers carry it"],
    ["TIDEMARK_API_KEY", "1234567", "must have at least 8 characters, because it opens everything"],
    ["MAIL_FROM_DOMAINS", "acme.example; beta.example", "must be domains, separated by commas"],
    ["MAIL_FROM", "acme", 'must be an e-mail address, like me@acme.example or "Acme <me@acme.example>"'],
    ["WEBHOOK_ALLOW_PRIVATE", "true", "must be 0 or 1"],
    ["VIES_URL", "no", "must be an http(s) address, or off"],
    ["METRICS_URL", "127.0.0.1", "must be a host and a port, like 127.0.0.1:9090"],
    ["METRICS_URL", "https://127.0.0.1:9090/metrics", "must be a host and a port, like 127.0.0.1:9090"],
    ["METRICS_URL", "127.0.0.1:70000", "must have a port of at most 65535"],
    ["TIDEMARK_SECRET", "c2hvcnQ=", "must be keys of 32 bytes in base64, one a line"],
    ["METRICS_TOKEN", "short", "must have at least 16 characters"],
    [
      "METRICS_TOKEN",
      "token of prometheus",
      "must be ASCII characters without spaces, because a header carries it",
    ],
    ["SECURITY_CONTACT", "nobody", "must be an e-mail address or an https address"],
    ["SECURITY_CONTACT", "http://acme.example", "must be an e-mail address or an https address"],
    ["SECURITY_CONTACT", "https://acme.example/ x", "must be an e-mail address or an https address"],
    ["WORKERS", "0", "must be from 1 to 256"],
    ["WORKERS", "257", "must be from 1 to 256"],
  ])("is refused for %s %j", (name, value, message) => {
    expect(() => readConfig({ [name]: value })).toThrow(
      new Error(`These environment variables are wrong:\n  ${name} ${message}`),
    );
  });

  it("is refused for an owner who could not sign in", () => {
    expect(() => readConfig({ TIDEMARK_OWNER_EMAIL: "alex", TIDEMARK_OWNER_PASSWORD: "seven77" })).toThrow(
      new Error(
        "These environment variables are wrong:\n  TIDEMARK_OWNER_EMAIL must be an e-mail address\n  TIDEMARK_OWNER_PASSWORD must have at least 8 characters",
      ),
    );
  });

  it("is refused for more workers than can share a store", () => {
    expect(() => readConfig({ STORAGE_URL: "memory:", WORKERS: "2" })).toThrow(
      /^These environment variables are wrong:\n {2}WORKERS must be 1 with STORAGE_URL memory:, /,
    );
  });

  it("is refused with all its faults at once, and without the values, which may be secret", () => {
    const variables = { ...EVERY, PORT: "secret", LOG_LEVEL: "secret" };
    expect(() => readConfig(variables)).toThrow(
      new Error(
        `These environment variables are wrong:\n  PORT must be a whole number\n  LOG_LEVEL ${LEVELS}`,
      ),
    );
  });
});

describe("a setting that may hold a secret", () => {
  let folder: string;
  let remove: () => void;
  beforeEach(() => void ({ folder, remove } = temporaryFolder()));
  afterEach(() => remove());

  const fileOf = (text: string) => {
    const file = join(folder, "secret");
    writeFileSync(file, text);
    return file;
  };
  const refusal = (faults: string) => new Error(`These environment variables are wrong:\n${faults}`);

  it.each([
    ["STORAGE_URL", "postgres://me:secret@a/db", { storageUrl: "postgres://me:secret@a/db" }],
    ["SMTP_URL", "smtp://me:secret@mail.example", { smtpUrl: "smtp://me:secret@mail.example" }],
    ["TIDEMARK_API_KEY", "key-of-acme", { apiKey: "key-of-acme" }],
    ["METRICS_TOKEN", "token-of-prometheus", { metricsToken: "token-of-prometheus" }],
    ["FILES_URL", "s3:?secretAccessKey=x", { filesUrl: "s3:?secretAccessKey=x" }],
  ])("is read from the file that %s_FILE names, without its last newline", (name, value, change) => {
    expect(readConfig({ [`${name}_FILE`]: fileOf(`${value}\n`) })).toEqual({ ...USUAL, ...change });
  });

  it("is read from a file beside other settings that depend on it", () => {
    const owner = {
      TIDEMARK_OWNER_EMAIL: "alex@acme.example",
      TIDEMARK_OWNER_PASSWORD_FILE: fileOf("a long one\r\n"),
    };
    expect(readConfig(owner).owner).toEqual({ email: "alex@acme.example", password: "a long one" });
  });

  it("is refused if it is given twice", () => {
    const variables = { SMTP_URL: "smtp://a.example", SMTP_URL_FILE: fileOf("smtp://b.example") };
    expect(() => readConfig(variables)).toThrow(
      refusal("  SMTP_URL_FILE and SMTP_URL are both set, so it is unclear which one counts: remove one"),
    );
  });

  it("counts as given once if one of both is blank", () => {
    expect(readConfig({ SMTP_URL: "", SMTP_URL_FILE: fileOf("smtp://b.example") }).smtpUrl).toBe(
      "smtp://b.example",
    );
    expect(readConfig({ SMTP_URL: "smtp://a.example", SMTP_URL_FILE: " " }).smtpUrl).toBe("smtp://a.example");
  });

  it("is refused with all other faults if its file is missing or empty, without a word of the file", () => {
    const variables = {
      SMTP_URL_FILE: join(folder, "none"),
      STORAGE_URL_FILE: folder,
      METRICS_TOKEN_FILE: fileOf(" \n"),
      PORT: "x",
    };
    expect(() => readConfig(variables)).toThrow(
      refusal(
        "  STORAGE_URL_FILE names a file that can't be read (EISDIR)\n" +
          "  SMTP_URL_FILE names a file that can't be read (ENOENT)\n" +
          "  METRICS_TOKEN_FILE names an empty file\n" +
          "  PORT must be a whole number",
      ),
    );
    expect(() => readConfig({ METRICS_TOKEN_FILE: fileOf("short") })).toThrow(
      refusal("  METRICS_TOKEN must have at least 16 characters"),
    );
  });
});

describe("variables that are no settings", () => {
  it.each([
    ["RATE_LIMT_V1", "Did you mean RATE_LIMIT_V1?"],
    ["RATE_LIMIT_V3", "Did you mean RATE_LIMIT_V1 or RATE_LIMIT_V2?"],
    ["PUBLIC_ULR", "Did you mean PUBLIC_URL?"],
    ["public_url", "Did you mean PUBLIC_URL?"],
    ["WORKER", "Did you mean WORKERS?"],
    ["STORAGE_URL_FIEL", "Did you mean STORAGE_URL_FILE?"],
    ["TIDEMARK_PORT", "Did you mean PORT?"],
    ["SMTP_HOST", "Did you mean SMTP_URL?"],
    ["MAIL_SERVER", "Did you mean MAIL_FROM or MAIL_FROM_DOMAINS?"],
    ["TRUST_PROXY_FILE", "Did you mean TRUST_PROXY?"],
    [
      "TIDEMARK_LICENSE",
      "Did you mean TIDEMARK_ACCOUNT_ID, TIDEMARK_API_KEY, TIDEMARK_OWNER_EMAIL, TIDEMARK_OWNER_PASSWORD, TIDEMARK_KEY_FILE or TIDEMARK_SECRET?",
    ],
    ["METRICS", "Did you mean METRICS_URL or METRICS_TOKEN?"],
  ])("are warned of if they look like ours: %s", (name, advice) => {
    expect(settingWarnings({ [name]: "1" })).toEqual([
      `${name} is not a setting and has no effect. ${advice}`,
    ]);
  });

  it("are not warned of if they are settings, blank, or other programs'", () => {
    const secrets = ["STORAGE_URL", "SMTP_URL", "TIDEMARK_API_KEY"].map((name) => [
      `${name}_FILE`,
      "/run/secret",
    ]);
    const names = [
      ..."PATH HOME HOSTNAME USER LOGNAME SHELL TERM LANG LC_ALL TZ PWD OLDPWD EDITOR MAIL MAILCHECK DISPLAY".split(
        " ",
      ),
      ..."DEBUG CI NODE_ENV NODE_OPTIONS NODE_COMPILE_CACHE npm_config_cache npm_package_name INIT_CWD".split(
        " ",
      ),
      ..."HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY PGHOST PGPORT PGUSER DATABASE_URL AWS_ACCESS_KEY_ID".split(
        " ",
      ),
      ..."INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET STATE_DIRECTORY CREDENTIALS_DIRECTORY MAINPID".split(
        " ",
      ),
      ..."POST PORTS HOSTS GHOST DEMOS LIMIT LEVEL POSTGRES_PASSWORD POSTGRES_URL WEB_CONCURRENCY".split(" "),
      ..."TIDEMARK_SERVICE_HOST TIDEMARK_SERVICE_PORT TIDEMARK_PORT_3000_TCP_ADDR SMTP_SERVICE_PORT_SMTP".split(
        " ",
      ),
    ];
    const variables = {
      ...EVERY,
      ...Object.fromEntries(secrets),
      ...Object.fromEntries(names.map((name) => [name, "1"])),
      // Kubernetes sets this beside a service with the name "tidemark".
      TIDEMARK_PORT: "tcp://10.0.0.7:3000",
      RATE_LIMT_V1: " ",
      SMTP_HOST: undefined,
    };
    expect(settingWarnings(variables)).toEqual([]);
  });
});
