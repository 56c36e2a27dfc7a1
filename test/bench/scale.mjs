// Prints how long questions over a large store take, and what a report costs the sign-ups beside it. BENCH_COPIES (100): times
// 10,000 leads, 10,000 commissions, 300 promoters and 3 campaigns. BENCH_CALLS (20). BENCH_ONLY: the rows that contain
// it. BENCH_STORE: a folder whose store is kept, and used again. Beside other programs that are busy only
// processor time is printed.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeLargeStore } from "./large-store.mjs";
import { OWNER, questionsOf } from "./questions.mjs";
import { MOST_OTHERS, watchOthers } from "./others.mjs";
import { cpuMicros, KEY, load, median, row, startTidemark } from "./servers.mjs";

const COPIES = Number(process.env.BENCH_COPIES ?? 100);
const CALLS = Number(process.env.BENCH_CALLS ?? 20);
const ONLY = process.env.BENCH_ONLY ?? "";
const KEPT = process.env.BENCH_STORE;
/** Longer than any aim. A question that takes longer is asked once. */
const PATIENCE_MS = 5_000;
const AIMS = { indexed: [150, 300], other: [500, 1_000], delay: [5, 20] };

const folder = KEPT ?? mkdtempSync(join(tmpdir(), "tidemark-scale-"));
const store = join(folder, "store");
if (!existsSync(join(store, "tidemark.db"))) {
  await makeLargeStore(store, { promoters: 300, leads: 10_000, copies: COPIES, environment: OWNER });
}
const server = await startTidemark(`sqlite:${store}`, { environment: OWNER });
try {
  console.log(`${COPIES * 10_000} leads\n`);
  console.log(row(["", "cpu ms", "others", "median ms", "p95 ms", "aim", "mark"], 60));
  for (const question of await questionsOf(server)) {
    if (question.name.includes(ONLY)) await measure(question);
  }
  if (ONLY === "") await measureDelay();
  printMemory();
} finally {
  server.child.kill("SIGTERM");
  await server.ended;
  if (KEPT === undefined) rmSync(folder, { recursive: true });
}

async function measure({ name, path, kind, headers = KEY }) {
  const times = [];
  await ask(path, headers);
  const [cpu, others] = [cpuMicros(server.child.pid), watchOthers()];
  while (times.length < CALLS) {
    const startedAt = performance.now();
    await ask(path, headers);
    times.push(performance.now() - startedAt);
    if (times.at(-1) > PATIENCE_MS) break;
  }
  const cpuMs = (cpuMicros(server.child.pid) - cpu) / 1_000 / times.length;
  print(name, { cpuMs, busy: others(), times: [median(times), p95(times)], aims: AIMS[kind] });
}

/** Prints a row, without the times if others kept the machine busy. */
function print(name, { cpuMs, busy, times, aims }) {
  const shown = busy > MOST_OTHERS ? ["", ""] : times.map((each) => each.toFixed(1));
  console.log(row([name, cpuMs?.toFixed(0) ?? "", busy.toFixed(2), ...shown, ...aims], 60));
}

async function ask(path, headers) {
  const answer = await fetch(server.url + path, { headers });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
}

/** Sign-ups beside reports that follow each other. */
async function measureDelay() {
  const others = watchOthers();
  const alone = await signUps();
  const { path } = (await questionsOf(server)).find(({ name }) => name.startsWith("report of promoters"));
  const over = new AbortController();
  const reports = (async () => {
    while (!over.signal.aborted) await ask(path, KEY);
  })();
  const beside = await signUps();
  over.abort();
  await reports;
  const times = ["p50", "p99"].map((each) => beside[each] - alone[each]);
  print("delay of sign-ups by reports: p50, p99", { busy: others(), times, aims: AIMS.delay });
}

function signUps() {
  const run = `${Date.now()}`;
  const body = `email=lead-${run}-{n}%40example.com&ref_id=bench`;
  return load({
    url: server.url,
    path: "/api/v1/track/signup",
    method: "POST",
    headers: KEY,
    body,
    seconds: 4,
    connections: 1,
  });
}

function printMemory() {
  // The mapped part of the page cache belongs to the system, which takes it back when it needs memory.
  const status = readFileSync(`/proc/${server.child.pid}/status`, "utf8");
  const [own, mapped] = ["RssAnon", "RssFile"].map((name) =>
    Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]) / 1024),
  );
  console.log(`\nmemory: ${own} MB of its own (aim 300), ${mapped} MB of mapped files`);
}

function p95(values) {
  return values.toSorted((one, other) => one - other)[Math.ceil(values.length * 0.95) - 1];
}
