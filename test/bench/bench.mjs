// Prints the requests per second of the built server next to those of bare node:http, in turn, and the processors that
// other programs keep busy meanwhile: if it is more than one half, there is no ratio. Then come the aims.
// BENCH_SECONDS (4): the length of each run. BENCH_ROUNDS (3): the median counts. BENCH_ONLY: a single row.
// BENCH_STORAGE: `sqlite` (default), or `postgres`, for which a cluster is started that syncs each commit.
import { readFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { printAims } from "./aims.mjs";
import { MOST_OTHERS, printLoad, watchOthers } from "./others.mjs";
import { BUYERS, prepareSales } from "./sales.mjs";
import { load, median, post, row, start, startStorage, startTidemark } from "./servers.mjs";

const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const ONLY = process.env.BENCH_ONLY;
const KEY = { "x-api-key": "bench-key" };
const perSecond = (run) => run.perSecond;
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
  },
  {
    name: "sign-up",
    path: "/api/v1/track/signup",
    headers: KEY,
    body: "email=lead-{n}%40example.com&uid=cus_{n}&ref_id=bench&first_name=Lee",
    status: 200,
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
  {
    name: "sale, three tiers",
    path: "/api/v1/track/sale",
    headers: KEY,
    body: "email=buyer-{known}%40example.com&event_id=sale-{n}&amount=9900",
    known: BUYERS,
    status: 200,
  },
  {
    name: "refund of them",
    path: "/api/v1/track/refund",
    headers: KEY,
    body: "email=buyer-{known}%40example.com&event_id=refund-{n}&sale_event_id=great-{known}&amount=100",
    known: BUYERS,
    status: 200,
  },
  {
    name: "promoter details",
    method: "GET",
    path: "/api/v2/company/promoters/bench?find_by=ref_token",
    headers: { authorization: "Bearer bench-key", "account-id": "bench" },
    body: "",
    status: 200,
  },
];

const storage = await startStorage(process.env.BENCH_STORAGE ?? "sqlite");
const real = await startTidemark(storage.url);
const bare = await start("test/bench/bare-server.mjs", {});
const results = new Map();
let hasFailed = false;
printLoad();
try {
  await post(real.url, "/api/v1/promoters/create", KEY, "email=bench%40example.com&ref_id=bench");
  await post(real.url, "/api/v1/track/signup", KEY, "email=known%40example.com&ref_id=bench");
  await prepareSales(real.url);
  console.log(row(["", "req/s", "p50 ms", "p99 ms", "bare req/s", "bare p99", "others", "ratio"]));
  for (const scenario of SCENARIOS) if (!ONLY || scenario.name === ONLY) await measure(scenario);
  printAims(results);
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
    .replaceAll("{known}", "1")
    .replaceAll("{uuid}", "7f1b2c3d-1111-4222-8333-444455556666");
  const answer =
    scenario.method === "GET"
      ? await (await fetch(real.url + scenario.path, { headers: scenario.headers })).text()
      : await post(real.url, scenario.path, scenario.headers, sample);
  await post(bare.url, scenario.path, {}, `answer_bytes=${answer.length}`);
  await drive(real.url, scenario, 1);
  await drive(bare.url, scenario, 1);
  const othersSince = watchOthers();
  const ours = [];
  const theirs = [];
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await drive(real.url, scenario, SECONDS));
    theirs.push(await drive(bare.url, scenario, SECONDS));
  }
  const others = othersSince();
  const isIdle = others <= MOST_OTHERS;
  for (const { statuses, errors } of ours) {
    const unexpected = Object.keys(statuses).filter((status) => Number(status) !== scenario.status);
    if (unexpected.length === 0 && errors === 0) continue;
    hasFailed = true;
    console.log(`  ${scenario.name}: unexpected answers ${JSON.stringify(statuses)}, ${errors} errors`);
  }
  const [own, yardstick] = [median(ours, perSecond), median(theirs, perSecond)];
  const ratio = isIdle ? (own.perSecond / yardstick.perSecond).toFixed(2) : "busy";
  results.set(`${scenario.name}, of bare node:http`, isIdle ? Number(ratio) : ratio);
  results.set(`${scenario.name}, p99 ms`, isIdle ? own.p99 : ratio);
  console.log(
    row([
      scenario.name,
      Math.round(own.perSecond),
      own.p50,
      own.p99,
      Math.round(yardstick.perSecond),
      yardstick.p99,
      others.toFixed(2),
      ratio,
    ]),
  );
}

function drive(url, { method = "POST", path, headers, body, known }, seconds) {
  return load({ url, method, path, headers, body, known, seconds });
}

function printSizes() {
  const script = readFileSync("dist/svc.js");
  const gzip = gzipSync(script, { level: 9 }).length;
  console.log(
    `\nsvc.js: ${script.length} bytes raw, ${gzip} gzip, ${brotliCompressSync(script).length} brotli`,
  );
}
