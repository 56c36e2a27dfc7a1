// Drives a mixed load against the built server on SQLite for some minutes, and exits with 1 if the server's
// own memory grew. SOAK_MINUTES (3), SOAK_CONNECTIONS (16). SOAK_GROWTH_PERCENT (15): how much more memory
// the last third may use than the first, after a warm-up of a fifth of the time.
import { randomUUID } from "node:crypto";
import { readFileSync, mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { KEY, median, post, row, startTidemark } from "./servers.mjs";

const MINUTES = Number(process.env.SOAK_MINUTES ?? 3);
const CONNECTIONS = Number(process.env.SOAK_CONNECTIONS ?? 16);
const MOST_GROWTH_PERCENT = Number(process.env.SOAK_GROWTH_PERCENT ?? 15);
const SAMPLES = 60;
const SHOWN_EVERY = 5;
const PROMOTERS = 50;
const BROWSER = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36" };
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const JSON_TYPE = { "content-type": "application/json" };

const folder = mkdtempSync(join(tmpdir(), "tidemark-soak-"));
const METRICS_TOKEN = "token-of-the-soak";
const { child, url, ended } = await startTidemark(`sqlite:${folder}`, { environment: { METRICS_TOKEN } });
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
const statuses = {};
let answers = 0;
const load = { isOver: false };
let people = 0;
/** Whether the server's own memory did not grow. */
let isFlat = false;
try {
  for (let at = 0; at < PROMOTERS; at++)
    await post(url, "/api/v1/promoters/create", KEY, `email=promoter-${at}@example.com&ref_id=ref-${at}`);
  const drives = Array.from({ length: CONNECTIONS }, drive);
  isFlat = judge(await observe());
  load.isOver = true;
  await Promise.all(drives);
} finally {
  load.isOver = true;
  agent.destroy();
  child.kill("SIGTERM");
  await ended;
  rmSync(folder, { recursive: true });
}
console.log(`answers by status: ${JSON.stringify(statuses)}`);
const bugs = Object.keys(statuses).filter((status) => Number(status) >= 500);
process.exit(isFlat && bugs.length === 0 ? 0 : 1);

/** Sends one request after the other, of all kinds, in the proportions of a company's day. */
async function drive() {
  while (!load.isOver) {
    const person = ++people;
    const tid = randomUUID();
    const ref = `ref-${person % PROMOTERS}`;
    const email = `lead-${person}@example.com`;
    const page = 1 + (person % 20);
    await send("POST", "/t/click", { ...FORM, ...BROWSER }, `cid=bench&tid=${tid}&ref_id=${ref}`);
    await send(
      "POST",
      "/api/v1/track/signup",
      { ...FORM, ...KEY },
      `email=${email}&uid=u${person}&tid=${tid}`,
    );
    await send("GET", `/t/details?cid=bench&tid=${tid}`, BROWSER);
    await send("GET", `/api/v1/leads/show?email=${email}`, KEY);
    await send(
      "PUT",
      "/api/v1/leads/update",
      { ...FORM, ...KEY },
      `email=${email}&state=active&plan_name=gold`,
    );
    await send("GET", `/api/v2/company/promoters?page=${page}&filters[state]=accepted`, KEY);
    await send("GET", `/api/v2/company/promoter_campaigns?per_page=20&page=${page}`, KEY);
    await send("GET", `/api/v1/leads/list?page=${page}`, KEY);
    const note = JSON.stringify({ note: `seen ${person}`, profile: { first_name: `Jane ${person}` } });
    await send(
      "PATCH",
      `/api/v2/company/promoters/${1 + (person % PROMOTERS)}`,
      { ...JSON_TYPE, ...KEY },
      note,
    );
    if (person % 10 === 0) await send("DELETE", `/api/v1/leads/delete?email=${email}`, KEY);
    if (person % 50 === 0) await send("GET", "/api/v1/reports/overview?group_by=day", KEY);
    // Refused requests take other paths through the server.
    if (person % 10 === 5) await send("POST", "/api/v1/track/signup", { ...FORM, ...KEY }, `email=${email}`);
    if (person % 10 === 7) await send("GET", `/nothing/${person}`, {});
  }
}

function send(method, path, headers, body) {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const asked = request(url + path, { method, agent, headers: { ...headers, ...length } });
    asked.once("error", reject);
    asked.once("response", (answer) => {
      answers += 1;
      statuses[answer.statusCode] = (statuses[answer.statusCode] ?? 0) + 1;
      answer.resume().once("end", resolve);
    });
    asked.end(body);
  });
}

/** Measures the server at even intervals. */
async function observe() {
  const samples = [];
  const intervalMs = (MINUTES * 60_000) / SAMPLES;
  console.log(row(["minutes", "requests/s", "own MB", "heap MB", "mapped MB", "delay p99", "files"], 10));
  for (let at = 1; at <= SAMPLES; at++) {
    const before = { answers, at: performance.now() };
    await sleep(intervalMs);
    const perSecond = ((answers - before.answers) * 1_000) / (performance.now() - before.at);
    const sample = { perSecond, ...(await figures()) };
    samples.push(sample);
    if (at % SHOWN_EVERY > 0) continue;
    const { own, heap, mapped, delayMs, files } = sample;
    const cells = [perSecond, own, heap, mapped].map((value) => value.toFixed(0));
    const minutes = ((at * MINUTES) / SAMPLES).toFixed(2);
    console.log(row([minutes, ...cells, `${delayMs.toFixed(1)} ms`, files], 10));
  }
  return samples;
}

/** Own memory is memory without a file behind it. The mapped store belongs to the system's cache. */
async function figures() {
  const rollup = readFileSync(`/proc/${child.pid}/smaps_rollup`, "utf8");
  const mb = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(rollup)[1]) / 1_024;
  const metrics = await (
    await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  ).text();
  const metric = (name) => Number(new RegExp(`^${name} (\\S+)`, "m").exec(metrics)[1]);
  return {
    own: mb("Anonymous"),
    mapped: mb("Rss") - mb("Anonymous"),
    heap: (metric("nodejs_heap_size_used_bytes") + metric("nodejs_external_memory_bytes")) / 2 ** 20,
    delayMs: metric("nodejs_eventloop_lag_p99_seconds") * 1_000,
    files: metric("process_open_fds"),
  };
}

function judge(samples) {
  const warm = samples.slice(Math.floor(samples.length / 5));
  const third = Math.floor(warm.length / 3);
  const own = (some) => median(some.map((sample) => sample.own));
  const [first, last] = [own(warm.slice(0, third)), own(warm.slice(-third))];
  const growth = (last / first - 1) * 100;
  console.log(
    `\nown memory: ${first.toFixed(0)} MB in the first third, ${last.toFixed(0)} MB in the last: ` +
      `${growth.toFixed(1)} % more (at most ${MOST_GROWTH_PERCENT} %); ` +
      `${(answers / MINUTES / 60).toFixed(0)} requests/s in all, ${people} people`,
  );
  return growth <= MOST_GROWTH_PERCENT;
}
