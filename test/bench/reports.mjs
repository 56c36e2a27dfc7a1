// Prints the processor time that reports over a year take the server: the median of warm requests. The commissions
// stand for sales of 10,000 promoters on all days, by 30 sources and 300 pages. BENCH_COMMISSIONS (1000000),
// BENCH_PROMOTERS (10000), BENCH_CALLS (9). BENCH_STORE: a folder whose store is kept, and used again. Aim: 300 ms.
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { multiply } from "./multiplied.mjs";
import { cpuMicros, KEY, median, row, startTidemark } from "./servers.mjs";

const COMMISSIONS = Number(process.env.BENCH_COMMISSIONS ?? 1_000_000);
const PROMOTERS = Number(process.env.BENCH_PROMOTERS ?? 10_000);
const CALLS = Number(process.env.BENCH_CALLS ?? 9);
const KEPT = process.env.BENCH_STORE;
const [SOURCES, PAGES] = [30, 300];
const DAY_MS = 24 * 60 * 60 * 1000;
const AIM_MS = 300;

const folder = KEPT ?? mkdtempSync(join(tmpdir(), "tidemark-reports-"));
try {
  if (!existsSync(join(folder, "large"))) {
    await multiply(folder, { promoters: PROMOTERS, commissions: COMMISSIONS, change, others });
  }
  const server = await startTidemark(`sqlite:${join(folder, "large")}`);
  console.log(`\n${row(["", "cpu ms", "wall ms", "aim"], 56)}`);
  for (const [name, path] of reports()) await measure(server, name, path);
  server.child.kill("SIGTERM");
  await server.ended;
} finally {
  if (KEPT === undefined) rmSync(folder, { recursive: true });
}

/** Spread evenly, so that nearly every commission has a day of its promoter to itself. */
function change(id) {
  const createdAt = new Date(Date.now() - (Math.floor(id / 7) % 365) * DAY_MS).toISOString();
  const origin = {
    source_key: nameKey(`source-${id % SOURCES}.example`),
    page_key: nameKey(pageName(id % PAGES)),
    sub_key: null,
  };
  return { created_at: createdAt, ...origin, sale_amount: 5_000, original_sale_amount: 5_000 };
}

/** The names of the sources and pages, and the clicks of each page on each day. */
function* others(promoters) {
  const [{ account_id }] = promoters;
  for (let at = 0; at < SOURCES; at++) {
    yield {
      file: "origins.jsonl",
      record: { account_id, kind: "source", name: `source-${at}.example`, days: 2, last_day: "2026-01-01" },
    };
  }
  for (let at = 0; at < PAGES; at++) {
    yield {
      file: "origins.jsonl",
      record: { account_id, kind: "page", name: pageName(at), days: 2, last_day: "2026-01-01" },
    };
  }
  for (let day = 0; day < 365; day++) {
    for (let at = 0; at < PAGES; at++) {
      const origin = {
        source_key: nameKey(`source-${at % SOURCES}.example`),
        page_key: nameKey(pageName(at)),
        sub_key: null,
      };
      const promoter = promoters[(day * PAGES + at) % promoters.length];
      const owner = {
        account_id,
        promoter_id: promoter.id,
        promoter_campaign_id: promoter.default_promoter_campaign_id,
        campaign_id: 1,
      };
      const record = { ...owner, day: daysAgo(day), count: 1 + (at % 7), ...origin };
      yield { file: "past_clicks.jsonl", record };
    }
  }
}

function pageName(at) {
  return `https://www.example.com/page-${at}`;
}

/** The key by which records and counters name a source or a page. */
function nameKey(name) {
  return createHash("sha256")
    .update(JSON.stringify([name]))
    .digest("hex")
    .slice(0, 32);
}

function reports() {
  const year = `start_date=${daysAgo(364)}&end_date=${daysAgo(0)}`;
  const usual = ["revenue_amount", "promoter_earnings_amount", "clicks_count"];
  const path = (name, groupBy, columns, more = "") =>
    `/api/v2/company/reports/${name}?${year}&group_by=${groupBy}${more}${columns.map((each) => `&columns[]=${each}`).join("")}`;
  return [
    ...["overview", "campaigns", "promoters", "traffic_sources", "urls"].flatMap((name) => [
      [`${name}, 3 columns, by month`, path(name, "month", usual)],
      [`${name}, 3 columns, by day`, path(name, "day", usual)],
    ]),
    ["promoters, revenue alone, by year", path("promoters", "year", ["revenue_amount"])],
    ["promoters, 1 of 3 columns sorts", path("promoters", "month", usual, "&sorting[clicks_count]=desc")],
    ["urls, clicks alone, by year", path("urls", "year", ["clicks_count"])],
  ];
}

function daysAgo(days) {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}

async function measure({ child, url }, name, path) {
  const runs = [];
  for (let count = 0; count < CALLS + 2; count++) {
    const [cpu, startedAt] = [cpuMicros(child.pid), performance.now()];
    const answer = await fetch(url + path, { headers: KEY });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${text}`);
    const [cpuMs, wallMs] = [(cpuMicros(child.pid) - cpu) / 1_000, performance.now() - startedAt];
    if (count >= 2) runs.push({ cpuMs, wallMs });
  }
  const [cpu, wall] = ["cpuMs", "wallMs"].map((kind) => median(runs, (run) => run[kind])[kind]);
  console.log(row([name, cpu.toFixed(0), wall.toFixed(0), AIM_MS], 56));
}
