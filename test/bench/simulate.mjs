// Predicts where each layer ends: one process, one machine, one Postgres, several of them by account. It simulates
// queues (`queues.mjs`) with the costs of one request, and prints how many of one kind are answered a second while 99 of
// 100 take at most SIMULATE_P99 (100) ms. SIMULATE_CHECK=1 first measures here, for SIMULATE_SECONDS (5) each, and compares
// what the model predicts for 64 connections with what is measured.
import { measure, REQUESTS, startMeasured } from "./costs.mjs";
import { capacity, simulate } from "./queues.mjs";
import { row } from "./servers.mjs";

const P99_MS = Number(process.env.SIMULATE_P99 ?? 100);
const SECONDS = Number(process.env.SIMULATE_SECONDS ?? 5);
const WIDTH = 40;

/** A disk's sync, and a message to Postgres and back. */
const DISK = { syncMs: 2, networkMs: 0.5 };

/** Queries that a request waits for one after the other before its commit on Postgres, when the cache knows the rest. */
const READS = { click: 3, "sign-up": 4, sale: 6 };

/** Processor milliseconds for each request, as `stores.mjs` measured them. See docs/capacity.md. */
const COSTS = {
  sqlite: {
    click: { serverMs: 0.43 },
    "sign-up": { serverMs: 0.51 },
    sale: { serverMs: 1.24 },
  },
  postgres: {
    click: { serverMs: 0.42, databaseMs: 0.19 },
    "sign-up": { serverMs: 0.53, databaseMs: 0.25 },
    sale: { serverMs: 1.37, databaseMs: 0.64 },
  },
};

const PLANS = [
  { name: "1 process, SQLite", kind: "sqlite", servers: 1 },
  { name: "1 machine of 8 cores: 6 workers, SQLite", kind: "sqlite", servers: 6, cores: 8 },
  { name: "1 process, Postgres of 8 cores", kind: "postgres", servers: 1, storeCores: 8 },
  { name: "16 processes, Postgres of 8 cores", kind: "postgres", servers: 16, storeCores: 8 },
  { name: "64 processes, Postgres of 32 cores", kind: "postgres", servers: 64, storeCores: 32 },
  { name: "128 processes, 8 Postgres of 8 cores", kind: "postgres", servers: 128, stores: 8, storeCores: 8 },
];

const costsOf = (costs, kind, name) => ({
  ...costs[kind][name],
  reads: kind === "postgres" ? READS[name] : 0,
});

if (process.env.SIMULATE_CHECK === "1") await check();

console.log(row([`a second, p99 within ${P99_MS} ms`, ...Object.keys(REQUESTS)], WIDTH));
for (const plan of PLANS) {
  const rates = Object.keys(REQUESTS).map((name) =>
    Math.round(capacity({ plan, costs: costsOf(COSTS, plan.kind, name), disk: DISK, p99Ms: P99_MS })),
  );
  console.log(row([plan.name, ...rates], WIDTH));
}

/** Compares predictions with measurements on this machine. */
async function check() {
  console.log(
    row(["on this machine", "server ms", "database ms", "slowness", "predicted", "measured", "ratio"], 24),
  );
  for (const kind of Object.keys(COSTS)) {
    const server = await startMeasured(kind);
    try {
      for (const name of Object.keys(REQUESTS)) await checkOne(server, kind, name);
    } finally {
      await server.stop();
    }
  }
  console.log();
}

/**
 * A busy machine takes longer for everything. Two runs, with 1 and with 8 connections, tell how much longer its processors
 * take, and how long a commit waits. The model then predicts a run with 64.
 */
async function checkOne(server, kind, name) {
  const run = (connections) => measure(server, name, { connections, seconds: SECONDS });
  await run(8);
  const [one, few, many] = [await run(1), await run(8), await run(64)];
  const workMs = few.serverMs + few.databaseMs;
  const [roundOfOneMs, roundOfFewMs] = [1_000 / one.perSecond, 8_000 / few.perSecond];
  const slowness = Math.max(1, (roundOfFewMs - roundOfOneMs) / 7 / workMs);
  const costs = {
    serverMs: few.serverMs * slowness,
    databaseMs: few.databaseMs * slowness,
  };
  const disk = { syncMs: Math.max(0, roundOfOneMs - workMs * slowness), networkMs: 0 };
  const plan = { kind, servers: 1, storeCores: 1 };
  const predicted = simulate({ plan, costs, disk, clients: 64, requests: 4_000 }).perSecond;
  const times = [few.serverMs, few.databaseMs].map((ms) => ms.toFixed(2));
  const figures = [predicted, many.perSecond].map(Math.round);
  const ratio = (predicted / many.perSecond).toFixed(2);
  console.log(row([`${name}, ${kind}`, ...times, slowness.toFixed(1), ...figures, ratio], 24));
}
