import { existsSync } from "node:fs";
import { chromium, type Browser, type BrowserContext, type LaunchOptions } from "playwright-core";
import { loadAccount } from "../../server/domain/program/account/account.ts";
import { findByRefToken } from "../../server/domain/people/promoter-campaign/promoter-campaign.ts";
import { visitors } from "../../server/domain/people/visitor/visitor.ts";
import { openStore } from "../../server/storage/open.ts";
import type { Store } from "../../server/storage/store.ts";
import { TABLES } from "../../server/tables.ts";
import { ACCOUNT } from "./server.ts";
import { statsOf } from "./stats.ts";
import { TEST_SEAL } from "./memory-engine.ts";

const CHROMIUM = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";

/**
 * The user agent of a person's browser. A test's own browser calls itself headless, which counts as a bot.
 */
export const USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36";

/** A busy machine may take a minute for what takes a second on an idle one. */
export const PATIENCE_MS = 120_000;

/** Makes `svc` a queue until the script has loaded. */
export const STUB =
  "window.svc=window.svc||function(){var q=svc.q=svc.q||[];arguments[0]=='set'?q.unshift(arguments):q.push(arguments)};";

/** Holds back what a page does after two seconds or more, so that a slow machine makes no retries. */
export const WITHOUT_RETRIES =
  "{ const soon = setTimeout; window.setTimeout = (run, ms) => (ms >= 2000 ? 1 : soon(run, ms)); }";

/** What a page server serves, by path. Without a status, it is 200. */
export type Site = Record<string, { html: string; status?: number; headers?: Record<string, string> }>;

/** Chromium needs long to start, so all files of a run share one for each set of options. They end with the process. */
const running = new Map<string, Promise<Browser>>();

/** A Chromium in which every host of example.test and other.test is this machine. Other files have used it before. */
export function sharedChromium(options: LaunchOptions = {}): Promise<Browser> {
  const wanted = JSON.stringify(options);
  const browser = running.get(wanted) ?? launchChromium(options);
  running.set(wanted, browser);
  return browser;
}

/** Leaves nothing open in a shared browser. */
export async function tidy(browser: Browser): Promise<void> {
  for (const context of browser.contexts()) await context.close();
}

async function launchChromium({ args = [], ...options }: LaunchOptions): Promise<Browser> {
  if (!existsSync(CHROMIUM)) throw new Error(`No Chromium at ${CHROMIUM}; name one in CHROMIUM_PATH`);
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--host-resolver-rules=MAP *.example.test 127.0.0.1, MAP *.other.test 127.0.0.1",
      ...args,
    ],
    ...options,
  });
  // Each test has a context of its own, and only a context has a limit that can be set.
  browser.on("context", (context) => context.setDefaultTimeout(PATIENCE_MS));
  return browser;
}

/** The cookies of a browser, by name. */
export async function cookieValues(context: BrowserContext): Promise<Record<string, string>> {
  return Object.fromEntries((await context.cookies()).map(({ name, value }) => [name, value]));
}

/** The visitors and leads that the server has counted for a promoter. */
export function countsOf(folder: string, refToken: string, account = ACCOUNT) {
  return reading(folder, async (store) => {
    const { id: accountId } = await loadAccount(store, account);
    const promoterCampaign = await findByRefToken(store, accountId, refToken);
    const { clicks, referrals } = await statsOf(store, accountId, promoterCampaign!.id);
    return { clicks, leads: referrals };
  });
}

/** The ids of all visitors that the server knows, in order. */
export function visitorIds(folder: string, account = ACCOUNT): Promise<string[]> {
  return reading(folder, async (store) => {
    const { id: accountId } = await loadAccount(store, account);
    const found = await store.page(visitors, "id", accountId, [], { limit: 100 });
    return found.map(({ tid }) => tid).toSorted();
  });
}

async function reading<T>(folder: string, read: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(`sqlite:${folder}`, { tables: TABLES, seal: TEST_SEAL });
  try {
    return await read(store);
  } finally {
    await store.close();
  }
}
