// Prints requests a second of the built server beside those of bare node:http, in turn.
// BENCH_SECONDS (4) for each run, BENCH_ROUNDS (3) of which the median counts, BENCH_ONLY for one row,
// BENCH_STORAGE for `lmdb` (default) or `postgres`, of which a cluster is started that syncs each commit.
import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompressSync, gzipSync } from "node:zlib";
import ts from "typescript";

const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const ONLY = process.env.BENCH_ONLY;
const KEY = { "x-api-key": "bench-key" };
const BROWSER = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36",
  origin: "https://www.example.com",
};

const SCENARIOS = [
  {
    name: "click",
    path: "/t/click",
    headers: BROWSER,
    body: "cid=bench&tid={uuid}&ref_id=bench&url=https%3A%2F%2Fwww.example.com%2F%3Fvia%3Dbench&referrer=https%3A%2F%2Fblog.example%2F",
    status: 200,
    aim: 0.5,
  },
  {
    name: "sign-up",
    path: "/api/v1/track/signup",
    headers: KEY,
    body: "email=lead-{n}%40example.com&uid=cus_{n}&ref_id=bench&first_name=Lee",
    status: 200,
    aim: 0.4,
  },
  {
    name: "duplicate sign-up",
    path: "/api/v1/track/signup",
    headers: KEY,
    body: "email=known%40example.com&ref_id=bench&first_name=Lee",
    status: 422,
  },
  {
    name: "promoter create",
    path: "/api/v1/promoters/create",
    headers: KEY,
    body: "email=promoter-{n}%40example.com&ref_id=p-{n}&first_name=Pat&last_name=Doe",
    status: 200,
  },
];

const storage = await startStorage(process.env.BENCH_STORAGE ?? "lmdb");
const real = await start("dist/server/main.js", {
  PORT: "0",
  STORAGE_URL: storage.url,
  TIDEMARK_ACCOUNT_ID: "bench",
  TIDEMARK_API_KEY: "bench-key",
  RATE_LIMIT_V1: "0",
  LOG_LEVEL: "error",
});
const bare = await start("test/bench/bare-server.mjs", {});
let hasFailed = false;
try {
  await post(real.url, "/api/v1/promoters/create", KEY, "email=bench%40example.com&ref_id=bench");
  await post(real.url, "/api/v1/track/signup", KEY, "email=known%40example.com&ref_id=bench");
  console.log(row(["", "req/s", "p50 ms", "p99 ms", "bare req/s", "bare p99", "ratio", "aim"]));
  for (const scenario of SCENARIOS) if (!ONLY || scenario.name === ONLY) await measure(scenario);
  printSizes();
} finally {
  real.child.kill("SIGTERM");
  bare.child.kill();
  await real.ended;
  await storage.remove();
}
process.exitCode = hasFailed ? 1 : 0;

async function measure(scenario) {
  const sample = scenario.body
    .replaceAll("{n}", "0")
    .replaceAll("{uuid}", "7f1b2c3d-1111-4222-8333-444455556666");
  const answer = await post(real.url, scenario.path, scenario.headers, sample);
  await post(bare.url, scenario.path, {}, `answer_bytes=${answer.length}`);
  await load(real.url, scenario, 1);
  await load(bare.url, scenario, 1);
  const ours = [];
  const theirs = [];
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await load(real.url, scenario, SECONDS));
    theirs.push(await load(bare.url, scenario, SECONDS));
  }
  for (const { statuses, errors } of ours) {
    const others = Object.entries(statuses).filter(([status]) => Number(status) !== scenario.status);
    if (others.length === 0 && errors === 0) continue;
    hasFailed = true;
    console.log(`  ${scenario.name}: unexpected answers ${JSON.stringify(statuses)}, ${errors} errors`);
  }
  const [own, yardstick] = [median(ours), median(theirs)];
  const ratio = (own.perSecond / yardstick.perSecond).toFixed(2);
  console.log(
    row([
      scenario.name,
      Math.round(own.perSecond),
      own.p50,
      own.p99,
      Math.round(yardstick.perSecond),
      yardstick.p99,
      ratio,
      scenario.aim ?? "",
    ]),
  );
}

function printSizes() {
  const script = readFileSync("dist/svc.js");
  const gzip = gzipSync(script, { level: 9 }).length;
  console.log(
    `\nsvc.js: ${script.length} bytes raw, ${gzip} gzip, ${brotliCompressSync(script).length} brotli`,
  );
}

async function startStorage(kind) {
  if (kind === "lmdb") {
    const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
    return { url: `lmdb:${folder}`, remove: () => rmSync(folder, { recursive: true }) };
  }
  if (kind !== "postgres") throw new Error(`BENCH_STORAGE ${kind} is unknown; use lmdb or postgres`);
  // The tests' own, which Node can't read as it is.
  const source = readFileSync("test/support/postgres.ts", "utf8");
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  mkdirSync("dist/test", { recursive: true });
  writeFileSync(
    "dist/test/postgres.mjs",
    ts.transpileModule(source, { compilerOptions: options }).outputText,
  );
  const { startCluster } = await import("../../dist/test/postgres.mjs");
  const cluster = await startCluster({ isSynced: true });
  return { url: cluster.url(), remove: cluster.remove };
}

function start(file, environment) {
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  return new Promise((resolve) => {
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
      const url = /listens on (http:\S+)/.exec(output)?.[1];
      if (url) resolve({ child, url, ended });
    });
  });
}

async function load(url, { path, headers, body }, seconds) {
  const options = JSON.stringify({ url, path, headers, body, seconds });
  const { stdout } = await promisify(execFile)(process.execPath, ["test/bench/load.mjs", options]);
  return JSON.parse(stdout);
}

async function post(url, path, headers, body) {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body,
  });
  return response.text();
}

function median(runs) {
  return runs.toSorted((left, right) => left.perSecond - right.perSecond)[Math.floor(runs.length / 2)];
}

function row(cells) {
  return cells
    .map((cell, index) => (index === 0 ? String(cell).padEnd(18) : String(cell).padStart(11)))
    .join("");
}
