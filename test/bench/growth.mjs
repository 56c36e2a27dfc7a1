// Prints the cost of a sign-up on larger and larger stores, in turn. BENCH_SIZES
// (10000,100000,1000000,5000000): the numbers of leads, with one promoter for each hundred. BENCH_ACTIVE
// (90): the promoters who send people, the same number for all stores. BENCH_SECONDS (4): the length of each
// run. BENCH_ROUNDS (9): rounds through all stores. Rates are medians of the rounds. Cost ratios are medians
// of the ratios within each round, because machines have fast and slow minutes. The stores are seeded first,
// which takes a while, and kept in BENCH_FOLDER if it is set. BENCH_WARM=1: the files are in the system's cache,
// as after days of use; otherwise they are not, as after a restart.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { cpuMicros, KEY, load, median, row, startTidemark } from "./servers.mjs";

const SIZES = (process.env.BENCH_SIZES ?? "10000,100000,1000000,5000000").split(",").map(Number);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const ACTIVE = Number(process.env.BENCH_ACTIVE ?? 90);
const FOLDER = process.env.BENCH_FOLDER ?? mkdtempSync(join(tmpdir(), "tidemark-growth-"));
const WARM_UP_SECONDS = 10;
const LIMIT = 1.2;
const TITLES = [
  "leads before",
  "req/s",
  "p50 ms",
  "p99 ms",
  "cpu µs",
  "written KB",
  "store MB",
  "cpu cost",
  "cost",
];
const NEWCOMER = "email=new-{n}%40example.com&uid=new_{n}&ref_id={pick}&first_name=Lee";
const run = promisify(execFile);

const stores = [];
try {
  for (const leads of SIZES) stores.push(await prepare(leads));
  for (const store of stores) await warmUp(store);
  for (let round = 0; round < ROUNDS; round++) {
    for (const store of stores) store.runs.push(await measured(store));
  }
  print();
} finally {
  for (const store of stores) await stop(store);
  if (process.env.BENCH_FOLDER === undefined) rmSync(FOLDER, { recursive: true });
}

async function prepare(leads) {
  const folder = join(FOLDER, String(leads));
  const url = `sqlite:${folder}`;
  if (!existsSync(folder)) await seed({ leads, folder, url });
  const tokens = evenly(await activeTokens(url), ACTIVE);
  const file = join(folder, "tidemark.db");
  if (process.env.BENCH_WARM === "1") await run("dd", [`if=${file}`, "of=/dev/null", "bs=4k"]);
  else await evict(file);
  return { ...(await startTidemark(url)), leads, tokens, file, runs: [] };
}

async function seed({ leads, folder, url }) {
  mkdirSync(folder, { recursive: true });
  await stop(await startTidemark(url));
  const size = ["--promoters", leads / 100, "--leads", leads, "--sales", 0].map(String);
  await run(process.execPath, ["dist/server/cli.js", "seed", "bench", ...size], {
    env: { ...process.env, STORAGE_URL: url },
  });
}

/**
 * Removes a file from the system's cache, as after a restart. Seeding writes far more at once than serving
 * does, and Linux caches that in folios of up to 2 MB, which make every small write to them as expensive as a
 * large one.
 */
async function evict(file) {
  await run("dd", [`if=${file}`, "iflag=nocache", "count=0"]);
}

/**
 * The ref ids of all active promoters. They come from a separate server, so that the measured servers do the
 * same work.
 */
async function activeTokens(storageUrl) {
  const server = await startTidemark(storageUrl);
  const tokens = [];
  try {
    for (let page = 1; ; page++) {
      const list = `${server.url}/api/v1/promoters/list?per_page=500&page=${page}`;
      const promoters = await (await fetch(list, { headers: KEY })).json();
      if (promoters.length === 0) return tokens;
      const active = promoters.filter(({ status }) => status !== "pending");
      tokens.push(...active.map((promoter) => promoter.default_ref_id));
    }
  } finally {
    await stop(server);
  }
}

async function stop({ child, ended }) {
  child.kill("SIGTERM");
  await ended;
}

/** Picks a number of values, spread evenly. */
function evenly(values, count) {
  if (values.length < count) throw new Error(`There are ${values.length} active promoters, not ${count}`);
  return Array.from({ length: count }, (_, at) => values[Math.floor((at * values.length) / count)]);
}

/**
 * Brings the server to the state of one that has run for a while: known people sign up again, then some new
 * ones.
 */
async function warmUp(store) {
  await signups(store, WARM_UP_SECONDS, "email=lead-{known}%40example.com&ref_id={pick}");
  await signups(store, 2);
}

function signups({ url, tokens, leads }, seconds, body = NEWCOMER) {
  const path = "/api/v1/track/signup";
  return load({ url, method: "POST", path, headers: KEY, body, picks: tokens, known: leads, seconds });
}

async function measured(store) {
  const [cpu, written] = [cpuMicros(store.child.pid), writtenBytes(store.child.pid)];
  const result = await signups(store, SECONDS);
  const count = result.statuses[200];
  if (Object.keys(result.statuses).length !== 1) throw new Error(JSON.stringify(result.statuses));
  return {
    ...result,
    cpuMicros: (cpuMicros(store.child.pid) - cpu) / count,
    written: (writtenBytes(store.child.pid) - written) / count,
  };
}

/** Counts bytes written to files and sockets. @see proc(5), `/proc/pid/io` */
function writtenBytes(pid) {
  return Number(/^wchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))[1]);
}

function print() {
  console.log(row(TITLES));
  const of = ({ runs }) => median(runs, (each) => each.perSecond);
  for (const store of stores) {
    const { perSecond, p50, p99, cpuMicros: cpu, written } = of(store);
    const cost = growth(store, (each) => 1 / each.perSecond);
    const cpuCost = growth(store, (each) => each.cpuMicros);
    const megabytes = Math.round(statSync(store.file).size / 1e6);
    const figures = [Math.round(perSecond), p50, p99, Math.round(cpu), (written / 1e3).toFixed(1), megabytes];
    console.log(row([store.leads, ...figures, cpuCost.toFixed(2), cost.toFixed(2)]));
  }
  console.log(
    `\nbeside the smallest store: processor time (cpu cost) and time (cost) for each sign-up (aim at most ${LIMIT})`,
  );
}

/** The cost of a store's runs, relative to the smallest store in the same rounds. */
function growth({ runs }, of) {
  return median(runs.map((each, round) => of(each) / of(stores[0].runs[round])));
}
