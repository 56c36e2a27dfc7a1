// Simulates sign-ups that arrive at random at servers of measured cost, and prints how many per second they
// can take while 99 of 100 are answered within SIMULATE_P99 (100) ms. The default costs were measured by
// `bench.mjs`, `workers.mjs` and `growth.mjs`. Those of other machines can be set in milliseconds:
// SIMULATE_SERVER (a server's processor, per sign-up), SIMULATE_WRITE (the part of it that others wait for on
// SQLite), SIMULATE_SYNC (the disk, per commit), SIMULATE_DATABASE (Postgres' processors, per sign-up),
// SIMULATE_NETWORK (the round trip of a message to Postgres).
import { row } from "./servers.mjs";

const P99_MS = Number(process.env.SIMULATE_P99 ?? 100);
const SERVER_MS = Number(process.env.SIMULATE_SERVER ?? 0.18);
const WRITE_MS = Number(process.env.SIMULATE_WRITE ?? 0.06);
const SYNC_MS = Number(process.env.SIMULATE_SYNC ?? 4);
const DATABASE_MS = Number(process.env.SIMULATE_DATABASE ?? 0.27);
const NETWORK_MS = Number(process.env.SIMULATE_NETWORK ?? 0.5);
/** The queries that a sign-up makes one after the other before its commit on Postgres. */
const READS = 5;
/** The sign-ups that each try simulates: enough for a stable 99th percentile. */
const SIGNUPS = 40_000;

/**
 * Each server has a processor of its own, and each Postgres has `cores`. Accounts are spread over the stores.
 */
const PLANS = [
  { name: "1 machine, 1 process, SQLite", kind: "sqlite", servers: 1, stores: 1 },
  { name: "1 machine, 4 processes, SQLite", kind: "sqlite", servers: 4, stores: 1 },
  { name: "4 servers, Postgres of 8 cores", kind: "postgres", servers: 4, stores: 1, cores: 8 },
  { name: "16 servers, Postgres of 16 cores", kind: "postgres", servers: 16, stores: 1, cores: 16 },
  { name: "64 servers, 8 shards of 8 cores", kind: "postgres", servers: 64, stores: 8, cores: 8 },
];

console.log(row(["", "sign-ups/s", "millions/day"], 34));
for (const plan of PLANS) {
  const perSecond = capacity(plan);
  const perDay = ((perSecond * 86_400) / 1e6).toFixed(0);
  console.log(row([plan.name, perSecond, perDay], 34));
}

/** The highest rate that is answered in time, in sign-ups per second, exact to two per cent. */
function capacity(plan) {
  let [low, high] = [0, (1_000 * plan.servers) / SERVER_MS];
  while (high - low > 0.02 * high) {
    const rate = (low + high) / 2;
    if (simulate(plan, rate) <= P99_MS) low = rate;
    else high = rate;
  }
  return Math.round(low);
}

/** The time within which 99 of 100 sign-ups are answered, in milliseconds. */
function simulate({ kind, servers: count, stores: storeCount, cores = 1 }, rate) {
  const untilNext = () => (-Math.log(1 - Math.random()) * 1_000 * count) / rate;
  const stores = Array.from({ length: storeCount }, () => ({ free: cores, line: [] }));
  const servers = Array.from({ length: count }, (_, at) => newServer(stores[at % storeCount], untilNext()));
  const latencies = [];
  const cost = kind === "sqlite" ? sqliteCommit : postgresCommit;
  const readMs = kind === "sqlite" ? 0 : READS * NETWORK_MS;

  while (latencies.length < SIGNUPS) {
    const server = servers.reduce((first, other) => (nextAt(other) < nextAt(first) ? other : first));
    const now = nextAt(server);
    if (server.arrivesAt === now) {
      server.waiting.push(now);
      server.arrivesAt = now + untilNext();
    } else if (server.workedAt === now) {
      server.pending.push(server.atWork);
      server.workedAt = Infinity;
    } else if (server.releasedAt === now) {
      server.releasedAt = Infinity;
      server.store.free += 1;
      const next = server.store.line.shift();
      if (next) begin(next, now);
    } else {
      for (const arrivedAt of server.committing) latencies.push(now - arrivedAt + readMs);
      server.committing = [];
      server.committedAt = Infinity;
    }
    goOn(server, now);
  }
  latencies.splice(0, SIGNUPS / 10); // those of the empty system
  return latencies.sort((left, right) => left - right)[Math.floor(latencies.length * 0.99)];

  function goOn(server, now) {
    if (server.workedAt === Infinity && server.waiting.length > 0) {
      server.atWork = server.waiting.shift();
      server.workedAt = now + SERVER_MS;
    }
    if (server.committing.length > 0 || server.pending.length === 0 || server.isInLine) return;
    if (server.store.free > 0) return begin(server, now);
    server.isInLine = true;
    server.store.line.push(server);
  }

  function begin(server, now) {
    server.isInLine = false;
    server.store.free -= 1;
    server.committing = server.pending;
    server.pending = [];
    const { holdMs, wholeMs } = cost(server.committing.length);
    server.releasedAt = now + holdMs;
    server.committedAt = now + wholeMs;
  }
}

/** Others wait for a whole SQLite commit. */
function sqliteCommit(size) {
  const wholeMs = size * WRITE_MS + SYNC_MS;
  return { holdMs: wholeMs, wholeMs };
}

/** Postgres works on one commit with one core. Syncs of several commits are combined. */
function postgresCommit(size) {
  const workMs = size * DATABASE_MS;
  return { holdMs: workMs, wholeMs: workMs + SYNC_MS + NETWORK_MS };
}

function newServer(store, arrivesAt) {
  return {
    store,
    arrivesAt,
    waiting: [],
    atWork: null,
    workedAt: Infinity,
    pending: [],
    isInLine: false,
    committing: [],
    releasedAt: Infinity,
    committedAt: Infinity,
  };
}

function nextAt({ arrivesAt, workedAt, releasedAt, committedAt }) {
  return Math.min(arrivesAt, workedAt, releasedAt, committedAt);
}
