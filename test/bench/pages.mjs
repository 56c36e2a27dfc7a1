// Opens every page of the dashboard on a large store and prints how long it takes to show its first number in Chromium
// (the 95th percentile of ten loads), then how long the server takes for each request that the pages made (the median
// and the 95th percentile of twenty). BENCH_LEADS (100000), BENCH_PROMOTERS (1000). BENCH_STORE: a folder with such a
// store, which is kept; without it the store is made first and removed at the end.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { median, row, startTidemark } from "./servers.mjs";

const LEADS = Number(process.env.BENCH_LEADS ?? 100_000);
const PROMOTERS = Number(process.env.BENCH_PROMOTERS ?? 1_000);
const LOADS = 10;
const CALLS = 20;
const FIRST_NUMBER_AIM_MS = 1_000;
const SERVER_AIM_MS = 50;
/** Pages that show no number at all are not waited for longer. */
const PATIENCE_MS = 10_000;
const OWNER = { email: "owner@bench.example", password: "only for this bench" };
const ENVIRONMENT = { TIDEMARK_OWNER_EMAIL: OWNER.email, TIDEMARK_OWNER_PASSWORD: OWNER.password };
const run = promisify(execFile);

const kept = process.env.BENCH_STORE;
const folder = kept ?? mkdtempSync(join(tmpdir(), "tidemark-pages-"));
if (kept === undefined) await fill();
const { child, url, ended } = await startTidemark(`sqlite:${folder}`, { environment: ENVIRONMENT });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  await context.addInitScript(noteFirstNumber);
  const signedIn = await context.request.post(`${url}/api/v2/company/session`, {
    data: OWNER,
    headers: { origin: url },
  });
  if (!signedIn.ok()) throw new Error(`Signing in was answered ${signedIn.status()}`);
  const requests = await measurePages(context);
  const [{ name, value }] = await context.cookies();
  await measureServer(requests, { cookie: `${name}=${value}` });
} finally {
  await browser.close();
  child.kill("SIGTERM");
  await ended;
  if (kept === undefined) rmSync(folder, { recursive: true });
}

async function fill() {
  const first = await startTidemark(`sqlite:${folder}`, { environment: ENVIRONMENT });
  first.child.kill("SIGTERM");
  await first.ended;
  const size = { promoters: PROMOTERS, leads: LEADS, sales: LEADS };
  const words = Object.entries(size).flatMap(([name, count]) => [`--${name}`, String(count)]);
  const startedAt = performance.now();
  await run(process.execPath, ["dist/server/cli.js", "seed", "bench", ...words], {
    env: { ...process.env, STORAGE_URL: `sqlite:${folder}` },
  });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(`${PROMOTERS} promoters, ${LEADS} leads, about ${LEADS} sales: seeded in ${seconds} s`);
}

/** Runs in each page: notes when it first shows a number of the program, in milliseconds since the address was opened. */
function noteFirstNumber() {
  const look = () => {
    const places = document.querySelectorAll("main :is(.tile-value, .number, td)");
    if (![...places].some(({ textContent }) => /\d/.test(textContent))) return;
    observer.disconnect();
    // The number is seen when the frame that it is in was painted.
    requestAnimationFrame(() => setTimeout(() => (window.firstNumberMs = performance.now())));
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { childList: true, subtree: true, characterData: true });
}

/** Loads each page of the navigation. Returns the requests that all of them made. */
async function measurePages(context) {
  const requests = new Set();
  console.log(`\n${row(["first number in Chromium", "median ms", "p95 ms", "aim"], 48)}`);
  for (const path of await pagePaths(context)) {
    const times = [];
    while (times.length < LOADS) {
      const page = await context.newPage();
      page.on("request", (request) => {
        if (request.method() === "GET" && request.url().includes("/api/")) requests.add(request.url());
      });
      await page.goto(url + path);
      const shown = page.waitForFunction(() => window.firstNumberMs, null, { timeout: PATIENCE_MS });
      times.push(await shown.then((handle) => handle.jsonValue()).catch(() => null));
      await page.waitForLoadState("networkidle");
      await page.close();
      if (times.at(-1) === null) break;
    }
    const isSilent = times.includes(null);
    const figures = isSilent ? ["none", "none"] : [median(times).toFixed(0), p95(times).toFixed(0)];
    console.log(row([path, ...figures, isSilent ? "" : FIRST_NUMBER_AIM_MS], 48));
  }
  return [...requests];
}

/** The addresses in the navigation. */
async function pagePaths(context) {
  const page = await context.newPage();
  await page.goto(`${url}/admin`);
  await page.locator("nav a").first().waitFor();
  const links = page.locator('nav a[href^="/admin"]');
  const paths = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  await page.close();
  return [...new Set(paths)];
}

/** Repeats each request, one at a time. */
async function measureServer(requests, headers) {
  console.log(`\n${row(["server, GET /api/v2/company", "median ms", "p95 ms", "aim"], 100)}`);
  for (const address of requests.toSorted()) {
    const times = [];
    while (times.length < CALLS) {
      const startedAt = performance.now();
      const answer = await fetch(address, { headers });
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
      times.push(performance.now() - startedAt);
    }
    const name = decodeURIComponent(address.replace(`${url}/api/v2/company`, ""));
    console.log(row([name, median(times).toFixed(1), p95(times).toFixed(1), SERVER_AIM_MS], 100));
  }
}

function p95(values) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * 0.95) - 1];
}
