// Prints how long `tidemark payouts generate` takes for many commissions on SQLite, and its memory. It is killed once
// in the middle, and then goes on. BENCH_COMMISSIONS (1000000), BENCH_PROMOTERS (10000). Aim: 60 s and 300 MB.
import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { KEY, post, row, startTidemark } from "./servers.mjs";

const COMMISSIONS = Number(process.env.BENCH_COMMISSIONS ?? 1_000_000);
const PROMOTERS = Number(process.env.BENCH_PROMOTERS ?? 10_000);
const CUT_AFTER_MS = 5_000;
const run = promisify(execFile);

const folder = mkdtempSync(join(tmpdir(), "tidemark-payouts-"));
try {
  await fill();
  await cutShort();
  await measure();
} finally {
  rmSync(folder, { recursive: true });
}

function tidemark(store, ...words) {
  const env = { ...process.env, STORAGE_URL: `sqlite:${join(folder, store)}` };
  return run(process.execPath, ["dist/server/cli.js", ...words], { env, maxBuffer: 1e9 });
}

/** Multiplies one commission that the server has made, by way of an export. */
async function fill() {
  const server = await startTidemark(`sqlite:${join(folder, "small")}`);
  await tidemark("small", "seed", "bench", "--promoters", String(PROMOTERS), "--leads", "0", "--sales", "0");
  await post(server.url, "/api/v1/rewards/create", KEY, "promotion_id=1&reward_type=cash&amount=1000");
  server.child.kill("SIGTERM");
  await server.ended;
  await tidemark("small", "export", join(folder, "small.jsonl"));
  const [header, ...lines] = readFileSync(join(folder, "small.jsonl"), "utf8").trimEnd().split("\n");
  const items = lines.slice(0, -1).map((line) => JSON.parse(line));
  await write(header, many(items));
  const startedAt = performance.now();
  await tidemark("large", "import", join(folder, "large.jsonl"));
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(`${COMMISSIONS} commissions of ${PROMOTERS} promoters: imported in ${seconds} s`);
}

function* many(items) {
  const promoters = items.filter(({ collection }) => collection === "promoter").map(({ record }) => record);
  const now = new Date();
  const createdAt = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 15)).toISOString();
  for (const { collection, record } of items) {
    if (collection === "ids" && record.kind === "commission") record.next = COMMISSIONS + 1_000;
    if (collection !== "commission") {
      yield { collection, record };
      continue;
    }
    for (let id = 1; id <= COMMISSIONS; id++) {
      const promoter = promoters[id % promoters.length];
      const owner = { promoterId: promoter.id, promoterCampaignId: promoter.defaultPromoterCampaignId };
      yield { collection, record: { ...record, ...owner, id, createdAt } };
    }
  }
}

async function write(header, items) {
  const file = createWriteStream(join(folder, "large.jsonl"));
  const hash = createHash("sha256");
  let entries = 0;
  file.write(`${header}\n`);
  for (const item of items) {
    const line = `${JSON.stringify(item)}\n`;
    hash.update(line);
    entries += 1;
    if (!file.write(line)) await once(file, "drain");
  }
  file.end(`${JSON.stringify({ entries, sha256: hash.digest("hex") })}\n`);
  await once(file, "finish");
}

/** Starts the run and kills it. */
async function cutShort() {
  const { child, ended } = generate();
  await sleep(CUT_AFTER_MS);
  child.kill("SIGKILL");
  await ended;
  console.log(`killed after ${CUT_AFTER_MS / 1_000} s`);
}

async function measure() {
  const startedAt = performance.now();
  const { child, ended } = generate();
  let stderr = "";
  let stdout = "";
  child.stderr.on("data", (text) => (stderr += text));
  child.stdout.on("data", (text) => (stdout += text));
  const [code] = await ended;
  if (code !== 0) throw new Error(stderr);
  const seconds = (performance.now() - startedAt) / 1_000;
  const megabytes = Number(/maxRSS (\d+)/.exec(stderr)[1]) / 1_024;
  console.log(`\n${row(["", "measured", "aim"], 34)}`);
  console.log(row(["seconds after the kill", seconds.toFixed(1), "60"], 34));
  console.log(row(["seconds of CPU", /cpu (\S+)/.exec(stderr)[1]], 34));
  console.log(row(["megabytes", megabytes.toFixed(0), "300"], 34));
  console.log(row(["payouts", JSON.parse(stdout).payouts, PROMOTERS], 34));
  await tidemark("large", "check");
}

/** Runs the command and prints its memory. */
function generate() {
  const report = `data:text/javascript,process.on("exit",()=>console.error("maxRSS",process.resourceUsage().maxRSS,"cpu",process.cpuUsage().user/1e6))`;
  const child = spawn(
    process.execPath,
    ["--import", report, "dist/server/cli.js", "payouts", "generate", "bench"],
    { env: { ...process.env, STORAGE_URL: `sqlite:${join(folder, "large")}` } },
  );
  return { child, ended: once(child, "exit") };
}
