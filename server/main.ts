import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "h3";
import { pino, type Logger } from "pino";
import { createApp } from "./app.ts";
import { readConfig, type Config } from "./config.ts";
import { systemChance } from "./domain/context.ts";
import { firstStart } from "./first-start.ts";
import { failureLimiter, rateLimiter } from "./http/rate-limit.ts";
import { newContext, type Services } from "./services.ts";
import { openStore } from "./storage/open.ts";
import { newScript } from "./track/script.ts";

/** Longest wait for requests under way, in milliseconds; the whole stop is promised within 10 s. */
const DRAIN_MS = 8_000;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than the usual minute of proxies, so that they never send into a closing connection. */
const KEEP_ALIVE_MS = 65_000;
const PUBLIC_SIGNUPS_PER_MINUTE = 60;
const FAILED_TRIES_PER_MINUTE = 30;

await run(readConfigOrExit());

async function run(config: Config): Promise<void> {
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  const store = await openStore(config.storageUrl);
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  const publicUrl = config.publicUrl ?? (await listen(server, config));
  const services = newServices({ config, store, log, publicUrl });
  const script = newScript(readFileSync(new URL("../svc.js", import.meta.url), "utf8"));
  const news = await firstStart(newContext(services), { ...config, publicUrl });
  if (news !== null) process.stdout.write(news);
  server.on("request", toNodeHandler(createApp(services, { script, hasDemo: config.hasDemo })));
  if (!server.listening) await listen(server, config);
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`Tidemark listens on http://${config.host}:${port}\n`);
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => void drain(server, services));
  }
}

function readConfigOrExit(): Config {
  try {
    return readConfig();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
}

function newServices(parts: Pick<Services, "store" | "log" | "publicUrl"> & { config: Config }): Services {
  const { config, store, log, publicUrl } = parts;
  return {
    store,
    log,
    publicUrl,
    clock: () => new Date(),
    chance: systemChance,
    trustProxyHops: config.trustProxyHops,
    limits: {
      v1: rateLimiter({ limitPerMinute: config.rateLimitV1 }),
      v2: rateLimiter({ limitPerMinute: config.rateLimitV2 }),
      publicSignups: rateLimiter({ limitPerMinute: PUBLIC_SIGNUPS_PER_MINUTE }),
      failedAuthentication: failureLimiter({ limitPerMinute: FAILED_TRIES_PER_MINUTE }),
    },
  };
}

/** Begins to listen and gives the address. */
function listen(server: Server, { host, port }: Config): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve(`http://${host}:${(server.address() as AddressInfo).port}`);
    });
  });
}

/** Stops accepting, lets requests under way finish, closes the store. */
async function drain(
  server: Server,
  { store, log }: { store: Services["store"]; log: Logger },
): Promise<void> {
  log.info("draining");
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(deadline);
  await store.close();
  process.exit(0);
}
