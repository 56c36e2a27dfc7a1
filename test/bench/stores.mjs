// Prints how many clicks, sign-ups and sales with three tiers a server takes on SQLite and on Postgres, and the processor
// time of each. Short runs on each store take turns, so that other programs slow all of them alike. The ratios are those
// to the first store, the median of all turns: of the requests a second, and of what the same processor time carries.
// BENCH_STORES (sqlite,postgres): also `pooled`, which is Postgres by way of PgBouncer, and `postgres@FOLDER` for
// another build. BENCH_WORKERS (1,2): processes of each server. BENCH_CONNECTIONS (64,256): clients that call at once.
// BENCH_SECONDS (2): the length of each run. BENCH_ROUNDS (5): the median counts. BENCH_ONLY: a single kind of request.
import { measure, REQUESTS, startMeasured } from "./costs.mjs";
import { median, row } from "./servers.mjs";

const listed = (name, usual) => (process.env[name] ?? usual).split(",");
const STORES = listed("BENCH_STORES", "sqlite,postgres");
const WORKERS = listed("BENCH_WORKERS", "1,2");
const CONNECTIONS = listed("BENCH_CONNECTIONS", "64,256").map(Number);
const NAMES = listed("BENCH_ONLY", Object.keys(REQUESTS).join());
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const WIDTH = 40;

const HEADINGS = ["req/s", "ratio", "p50 ms", "p99 ms", "server ms", "database ms", "ratio"];

console.log(row(["", ...HEADINGS], WIDTH));
for (const workers of WORKERS) {
  const servers = [];
  try {
    for (const store of STORES) servers.push(await startMeasured(store, { workers }));
    for (const connections of CONNECTIONS) {
      for (const name of NAMES) {
        console.log(`${name}, ${workers} process${workers > 1 ? "es" : ""}, ${connections} connections`);
        await compare(servers, name, connections);
      }
    }
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function compare(servers, name, connections) {
  for (const server of servers) await measure(server, name, { connections, seconds: SECONDS });
  const turns = [];
  for (let round = 0; round < ROUNDS; round++) {
    const turn = [];
    for (const server of servers) turn.push(await measure(server, name, { connections, seconds: SECONDS }));
    turns.push(turn);
  }
  STORES.forEach((store, at) => {
    const typical = (figure) => median(turns.map((turn) => figure(turn[at], turn[0])));
    const figures = [
      typical(({ perSecond }) => perSecond).toFixed(0),
      typical((run, first) => run.perSecond / first.perSecond).toFixed(2),
      typical(({ p50 }) => p50),
      typical(({ p99 }) => p99),
      typical(({ serverMs }) => serverMs).toFixed(3),
      typical(({ databaseMs }) => databaseMs).toFixed(3),
      typical((run, first) => costMs(first) / costMs(run)).toFixed(2),
    ];
    console.log(row([`  ${store}`, ...figures], WIDTH));
  });
}

function costMs(run) {
  return run.serverMs + run.databaseMs;
}
