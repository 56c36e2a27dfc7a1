// Prints the cost of reads on a small and a large store, in turn, and their memory. BENCH_LARGE (100000):
// records of each kind in the large store; the small one has 1,000. BENCH_CALLS (40). BENCH_ONLY: the rows that begin
// so. BENCH_STORE: a folder whose stores are kept, and used again.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { KEY, median, row, startTidemark } from "./servers.mjs";

const LARGE = Number(process.env.BENCH_LARGE ?? 100_000);
const CALLS = Number(process.env.BENCH_CALLS ?? 40);
const PROMOTERS = Math.max(100, LARGE / 100);
const ONLY = process.env.BENCH_ONLY ?? "";
const KEPT = process.env.BENCH_STORE;
const run = promisify(execFile);

const small = await prepare(1_000, 100);
const large = await prepare(LARGE, PROMOTERS);
try {
  console.log(`\n${row(["", "small ms", "large ms", "ratio", "aim"], 48)}`);
  for (const [at, [name, , aim]] of readsOf(small).entries()) {
    if (name.startsWith(ONLY)) await compare(name, [readsOf(small)[at][1], readsOf(large)[at][1]], aim);
  }
  await measureGroups();
  await measureMemory();
} finally {
  for (const { child, ended, folder } of [small, large]) {
    child.kill("SIGTERM");
    await ended;
    if (KEPT === undefined) rmSync(folder, { recursive: true });
  }
}

async function prepare(records, promoters) {
  const folder = KEPT ? join(KEPT, String(records)) : mkdtempSync(join(tmpdir(), "tidemark-scale-"));
  if (!existsSync(join(folder, "tidemark.db"))) await seed(folder, records, promoters);
  const server = await startTidemark(`sqlite:${folder}`, {
    nodeOptions: ["--import", "./test/bench/loop-delay.mjs"],
  });
  console.log(
    `${promoters} promoters, ${records} leads, about ${records} sales: ready in ${Math.round(server.readyMs)} ms`,
  );
  const [promoter] = await (await call(server, "/api/v1/promoters/list?per_page=1")).json();
  return { ...server, folder, records, promoter };
}

async function seed(folder, records, promoters) {
  mkdirSync(folder, { recursive: true });
  const first = await startTidemark(`sqlite:${folder}`);
  first.child.kill("SIGTERM");
  await first.ended;
  const size = ["--promoters", promoters, "--leads", records, "--sales", records].map(String);
  const startedAt = performance.now();
  await run(process.execPath, ["dist/server/cli.js", "seed", "bench", ...size], {
    env: { ...process.env, STORAGE_URL: `sqlite:${folder}` },
  });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(`${records} leads: seeded in ${seconds} s`);
}

function readsOf({ promoter, records }) {
  const of = (id, findBy) => `/api/v2/company/promoters/${encodeURIComponent(id)}?find_by=${findBy}`;
  const payouts = (query) => `/api/v2/company/payouts?${query}`;
  const commissions = (query) => `/api/v2/company/commissions?${query}`;
  const newest = "sorting[created_at]=desc";
  const [month, year] = [30, 365].map((days) => `filters[created_at][from]=${daysAgo(days)}`);
  const report = (name, groupBy) =>
    `/api/v2/company/reports/${name}?columns[]=revenue_amount&columns[]=promoter_earnings_amount&group_by=${groupBy}&start_date=${daysAgo(365)}&end_date=${daysAgo(0)}`;
  return [
    ["leads list, first page", "/api/v1/leads/list", 1.5],
    ["leads list, last page", `/api/v1/leads/list?page=${records / 50}`, 1.5],
    ["leads of a promoter", `/api/v1/leads/list?promoter_id=${promoter.id}`, 1.5],
    ["payouts", payouts(""), 1.5],
    ["payouts by status", payouts("filters[status]=pending"), 1.5],
    ["payouts by campaign", payouts("filters[campaign_id]=1"), 1.5],
    ["payouts by promoter", payouts(`filters[promoter_id]=${promoter.id}`), 1.5],
    ["payouts by group_ref", payouts("filters[group_ref]=2026-01"), 1.5],
    ["payouts by ids", payouts("ids[]=1&ids[]=2"), 1.5],
    ["payouts by status and campaign", payouts("filters[status]=pending&filters[campaign_id]=1"), 1.5],
    [
      "payouts by status and promoter",
      payouts(`filters[status]=pending&filters[promoter_id]=${promoter.id}`),
      1.5,
    ],
    ["payouts, greatest amount first", payouts("sorting[amount]=desc"), 1.5],
    ["payouts by q (walks)", payouts("q=ada")],
    ["payouts by payout_method (walks)", payouts("filters[payout_method]=wise")],
    ["payouts by period_start (walks)", payouts("filters[period_start][from]=2026-01-01")],
    ["payouts by due_period (walks)", payouts("filters[due_period]=overdue")],
    ["payouts by fraud_suspicions (walks)", payouts("filters[fraud_suspicions][]=no_suspicion")],
    ["payouts by only_payable (walks)", payouts("filters[only_payable]=true")],
    [
      "payouts by promoter and period (walks)",
      payouts(`filters[promoter_id]=${promoter.id}&filters[period_start][from]=2026-01-01`),
    ],
    ["commissions", commissions(""), 1.5],
    ["commissions by status", commissions("filters[status]=pending"), 1.5],
    ["commissions by campaign", commissions("filters[campaign_id]=1"), 1.5],
    ["commissions by promoter", commissions(`filters[promoter_id]=${promoter.id}`), 1.5],
    ["commissions, newest first", commissions("sorting[created_at]=desc"), 1.5],
    ["commissions, greatest sale first", commissions("sorting[sale_amount]=desc"), 1.5],
    // The dashboard's list, with its filters.
    ["commissions by status, newest first", commissions(`filters[status]=pending&${newest}`), 1.5],
    ["commissions by campaign, newest first", commissions(`filters[campaign_id]=1&${newest}`), 1.5],
    [
      "commissions by status and campaign, newest first",
      commissions(`filters[status]=approved&filters[campaign_id]=1&${newest}`),
      1.5,
    ],
    [
      "commissions by promoter, newest first",
      commissions(`filters[promoter_id]=${promoter.id}&${newest}`),
      1.5,
    ],
    ["commissions of a month, newest first", commissions(`${month}&${newest}`), 1.5],
    ["commissions of a month by status", commissions(`${month}&filters[status]=pending&${newest}`), 1.5],
    ["commissions of a month by campaign", commissions(`${month}&filters[campaign_id]=1&${newest}`), 1.5],
    [
      "commissions of a month by status and campaign",
      commissions(`${month}&filters[status]=approved&filters[campaign_id]=1&${newest}`),
      1.5,
    ],
    ["commissions of a year by status", commissions(`${year}&filters[status]=pending&${newest}`), 1.5],
    [
      "commissions of a promoter by status",
      commissions(`filters[promoter_id]=${promoter.id}&filters[status]=approved&${newest}`),
    ],
    ["commissions of a month by q (reads the month)", commissions(`${month}&q=ada&${newest}`)],
    ["commissions by q (walks)", commissions(`q=ada&${newest}`)],
    ["commissions that are paid (walks)", commissions(`filters[paid]=yes&${newest}`)],
    [
      "commissions of a month that are paid (reads the month)",
      commissions(`${month}&filters[paid]=yes&${newest}`),
    ],
    ["commissions with a suspicion (walks)", commissions(`filters[fraud_check][]=ad_source&${newest}`)],
    ["payouts due, in sums", payouts("").replace("payouts?", "payouts/due_stats?")],
    ["payouts, in sums", payouts("").replace("payouts?", "payouts/stats?")],
    ["report of a year, by month", report("overview", "month")],
    ["report of a year, by promoter", report("promoters", "year")],
    ["grouped payouts", "/api/v2/company/payouts/group_by_promoters"],
    ["promoter by id", of(promoter.id, "id"), 1.5],
    ["promoter by email", of(promoter.email, "email"), 1.5],
    ["promoter by auth_token", of(promoter.auth_token, "auth_token"), 1.5],
    ["promoter by ref_token", of(promoter.default_ref_id, "ref_token"), 1.5],
  ];
}

function daysAgo(days) {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}

async function compare(name, paths, aim = "") {
  const times = [[], []];
  for (let count = 0; count < CALLS; count++) {
    for (const [at, server] of [small, large].entries()) {
      const startedAt = performance.now();
      const answer = await call(server, paths[at]);
      await answer.text();
      if (answer.status !== 200) throw new Error(`${name}: ${answer.status}`);
      if (count > 2) times[at].push(performance.now() - startedAt);
    }
  }
  const [own, other] = times.map((each) => median(each));
  console.log(row([name, own.toFixed(2), other.toFixed(2), (other / own).toFixed(2), aim], 48));
}

async function measureGroups() {
  await loopDelay(large);
  const startedAt = performance.now();
  await (await call(large, "/api/v2/company/payouts/group_by_promoters")).text();
  const tookMs = Math.round(performance.now() - startedAt);
  const { max } = await loopDelay(large);
  console.log(
    `\ngrouped payouts over ${large.records}: ${tookMs} ms (aim 300), event loop blocked for at most ${max.toFixed(1)} ms (aim 50)`,
  );
}

async function measureMemory() {
  for (let page = 1; page <= 40; page++)
    await (await call(large, `/api/v1/leads/list?per_page=500&page=${page}`)).text();
  // The mapped part of the page cache belongs to the system, which takes it back when it needs memory.
  const status = readFileSync(`/proc/${large.child.pid}/status`, "utf8");
  const [own, mapped] = ["RssAnon", "RssFile"].map((name) =>
    Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]) / 1024),
  );
  console.log(
    `memory with ${large.records} leads: ${own} MB of its own (aim 300), ${mapped} MB of mapped files`,
  );
}

async function loopDelay({ child }) {
  const line = new Promise((resolve) => {
    const read = (chunk) => {
      const found = /loop delay (.*)/.exec(chunk);
      if (!found) return;
      child.stdout.off("data", read);
      resolve(JSON.parse(found[1]));
    };
    child.stdout.on("data", read);
  });
  await sleep(50);
  child.kill("SIGUSR2");
  return line;
}

function call({ url }, path) {
  return fetch(url + path, { headers: KEY });
}
