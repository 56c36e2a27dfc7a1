// Prints the cost of sign-ups and clicks with 1, 2 and 4 workers on SQLite and on Postgres. BENCH_SECONDS
// (4): the length of each run. BENCH_ROUNDS (3): the median counts. BENCH_CONNECTIONS (64): how many clients
// call at once. BENCH_STORAGE: only one store. The processor time covers all processes of a server, or of
// Postgres. On a machine whose processors also create the load, this figure shows what more processors could
// take.
import { readFileSync } from "node:fs";
import { cpuMicros, KEY, load, median, post, row, startStorage, startTidemark } from "./servers.mjs";

const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const CONNECTIONS = Number(process.env.BENCH_CONNECTIONS ?? 64);
const STORAGES = process.env.BENCH_STORAGE?.split(",") ?? ["sqlite", "postgres"];
const WORKERS = [1, 2, 4];
const PROMOTERS = 50;
const SCENARIOS = [
  {
    name: "sign-up",
    path: "/api/v1/track/signup",
    headers: KEY,
    body: "email=new-{n}%40example.com&uid=new_{n}&ref_id={pick}&first_name=Lee",
  },
  {
    name: "click",
    path: "/t/click",
    headers: { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36" },
    body: "cid=bench&tid={uuid}&ref_id={pick}&url=https%3A%2F%2Fwww.example.com%2F",
  },
];
const picks = Array.from({ length: PROMOTERS }, (_, at) => `ref-${at}`);

console.log(row(["", "workers", "req/s", "p50 ms", "p99 ms", "server µs", "Postgres µs"]));
for (const kind of STORAGES) {
  const servers = [];
  try {
    for (const workers of WORKERS) servers.push(await begin(kind, workers));
    for (const scenario of SCENARIOS) await compare(kind, servers, scenario);
  } finally {
    for (const { child, ended, storage } of servers) {
      child.kill("SIGTERM");
      await ended;
      await storage.remove();
    }
  }
}

async function begin(kind, workers) {
  const storage = await startStorage(kind);
  const server = await startTidemark(storage.url, { environment: { WORKERS: String(workers) } });
  for (const ref of picks)
    await post(server.url, "/api/v1/promoters/create", KEY, `email=${ref}%40example.com&ref_id=${ref}`);
  return { ...server, storage, workers };
}

async function compare(kind, servers, scenario) {
  const runs = new Map(servers.map((server) => [server, []]));
  for (const server of servers) await drive(server, scenario, 1);
  for (let round = 0; round < ROUNDS; round++) {
    for (const server of servers) runs.get(server).push(await measured(server, scenario));
  }
  for (const server of servers) {
    const { perSecond, p50, p99, serverMicros, storeMicros } = median(
      runs.get(server),
      (each) => each.perSecond,
    );
    const store = server.storage.pid === undefined ? "" : Math.round(storeMicros);
    const figures = [server.workers, Math.round(perSecond), p50, p99, Math.round(serverMicros), store];
    console.log(row([`${scenario.name}, ${kind}`, ...figures]));
  }
}

async function measured(server, scenario) {
  const before = spent(server);
  const run = await drive(server, scenario, SECONDS);
  const after = spent(server);
  const count = run.statuses[200];
  if (Object.keys(run.statuses).length !== 1) throw new Error(JSON.stringify(run.statuses));
  return {
    ...run,
    serverMicros: (after.server - before.server) / count,
    storeMicros: (after.store - before.store) / count,
  };
}

function spent({ child, storage }) {
  return { server: cpuOfAll(child.pid), store: storage.pid === undefined ? 0 : cpuOfAll(storage.pid) };
}

/** A process and its children. */
function cpuOfAll(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
  return [pid, ...children].reduce((sum, each) => sum + cpuMicros(each), 0);
}

function drive({ url }, { path, headers, body }, seconds) {
  return load({ url, method: "POST", path, headers, body, picks, seconds, connections: CONNECTIONS });
}
