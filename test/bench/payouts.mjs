// Prints how long `tidemark payouts generate` takes for many commissions on SQLite, and its memory. It is killed once
// in the middle, and then goes on. BENCH_COMMISSIONS (1000000), BENCH_PROMOTERS (10000). Aim: 10 s and 300 MB.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { multiply, tidemark } from "./multiplied.mjs";
import { row } from "./servers.mjs";

const COMMISSIONS = Number(process.env.BENCH_COMMISSIONS ?? 1_000_000);
const PROMOTERS = Number(process.env.BENCH_PROMOTERS ?? 10_000);
const CUT_AFTER_MS = 5_000;

const folder = mkdtempSync(join(tmpdir(), "tidemark-payouts-"));
try {
  const now = new Date();
  const createdAt = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 15)).toISOString();
  await multiply(folder, {
    promoters: PROMOTERS,
    commissions: COMMISSIONS,
    change: () => ({ created_at: createdAt }),
  });
  await cutShort();
  await measure();
} finally {
  rmSync(folder, { recursive: true });
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
  console.log(row(["seconds after the kill", seconds.toFixed(1), "10"], 34));
  console.log(row(["seconds of CPU", /cpu (\S+)/.exec(stderr)[1]], 34));
  console.log(row(["megabytes", megabytes.toFixed(0), "300"], 34));
  console.log(row(["payouts", JSON.parse(stdout).payouts, PROMOTERS], 34));
  await tidemark(folder, "large", "check");
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
