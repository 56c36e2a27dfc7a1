// Prints the sign-ups per second of a server without webhooks next to one with ten, in turn. BENCH_SECONDS
// (4): the length of each run. BENCH_ROUNDS (5): the median counts. The ratio is the median of the rounds'
// ratios. The two runs of a round follow each other, because the load of a machine changes over minutes.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cpuMicros, load, median, post, row, startTidemark } from "./servers.mjs";

const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const WEBHOOKS = 10;
const KEY = { "x-api-key": "bench-key" };
const perSecond = (run) => run.perSecond;

let receivedCount = 0;
const receiver = createServer((request, response) => {
  receivedCount += 1;
  request.resume().on("end", () => response.end());
});
await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
process.env.WEBHOOK_ALLOW_PRIVATE = "1";
try {
  const runs = { quiet: [], heard: [] };
  for (let round = 0; round < ROUNDS; round++) {
    runs.quiet.push(await onFreshStore(0));
    runs.heard.push(await onFreshStore(WEBHOOKS));
  }
  const [without, with10] = [median(runs.quiet, perSecond), median(runs.heard, perSecond)];
  console.log(row(["", "req/s", "p50 ms", "p99 ms", "cpu µs", "ratio"]));
  console.log(
    row(["no webhook", Math.round(without.perSecond), without.p50, without.p99, without.cpuMicros, ""]),
  );
  const ratios = runs.heard.map(({ perSecond }, round) => perSecond / runs.quiet[round].perSecond);
  const ratio = median(ratios).toFixed(2);
  console.log(
    row(["ten webhooks", Math.round(with10.perSecond), with10.p50, with10.p99, with10.cpuMicros, ratio]),
  );
  console.log(`\n${receivedCount} events posted meanwhile`);
} finally {
  receiver.close();
  receiver.closeAllConnections();
}

/** A run on a new server, so that deliveries left over from one run do not slow down the next. */
async function onFreshStore(webhookCount) {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  const server = await startTidemark(`sqlite:${folder}`);
  try {
    await post(server.url, "/api/v1/promoters/create", KEY, "email=bench%40example.com&ref_id=bench");
    for (let count = 0; count < webhookCount; count++) await subscribe(server.url);
    await signups(server.url, 1);
    return await measured(server);
  } finally {
    server.child.kill("SIGKILL");
    await server.ended;
    rmSync(folder, { recursive: true });
  }
}

/** A run with the processor time of each sign-up, which other processes on the machine can't distort. */
async function measured({ url, child }) {
  const before = cpuMicros(child.pid);
  const run = await signups(url, SECONDS);
  return { ...run, cpuMicros: Math.round((cpuMicros(child.pid) - before) / (run.perSecond * SECONDS)) };
}

async function subscribe(url) {
  const { port } = receiver.address();
  const response = await fetch(`${url}/api/v2/company/webhooks`, {
    method: "POST",
    headers: { authorization: "Bearer bench-key", "account-id": "bench", "content-type": "application/json" },
    body: JSON.stringify({ url: `http://127.0.0.1:${port}/`, event_types: ["referral.created"] }),
  });
  if (response.status !== 201) throw new Error(await response.text());
}

function signups(url, seconds) {
  const path = "/api/v1/track/signup";
  const body = "email=lead-{n}%40example.com&uid=cus_{n}&ref_id=bench&first_name=Lee";
  return load({ url, method: "POST", path, headers: KEY, body, seconds });
}
