// Measures what a click, a sign-up and a sale with three tiers cost a server and its store, for `stores.mjs` and
// `simulate.mjs`.
import { BUYERS, prepareSales } from "./sales.mjs";
import { cpuMicros, KEY, load, post, processesBelow, startStorage, startTidemark } from "./servers.mjs";

const PROMOTERS = 50;
const picks = Array.from({ length: PROMOTERS }, (_, at) => `ref-${at}`);

/** The kinds of requests. */
export const REQUESTS = {
  click: {
    path: "/t/click",
    headers: { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36" },
    body: "cid=bench&tid={uuid}&ref_id={pick}&url=https%3A%2F%2Fwww.example.com%2F",
  },
  "sign-up": {
    path: "/api/v1/track/signup",
    headers: KEY,
    body: "email=new-{n}%40example.com&uid=new_{n}&ref_id={pick}&first_name=Lee",
  },
  sale: {
    path: "/api/v1/track/sale",
    headers: KEY,
    body: "email=buyer-{known}%40example.com&event_id=sale-{n}&amount=9900",
  },
};

/**
 * Starts a server on an empty store, with promoters and customers. The store is a kind (`sqlite`, `postgres`, or `pooled`
 * for Postgres by way of PgBouncer), and perhaps the folder of another build to compare with: `postgres@FOLDER`.
 */
export async function startMeasured(store, { workers = 1 } = {}) {
  const [kind, build] = store.split("@");
  const storage = await startStorage(kind);
  const server = await startTidemark(storage.url, { build, environment: { WORKERS: String(workers) } });
  await Promise.all(
    picks.map((ref) =>
      post(server.url, "/api/v1/promoters/create", KEY, `email=${ref}%40example.com&ref_id=${ref}`),
    ),
  );
  await prepareSales(server.url);
  return {
    ...server,
    storage,
    async stop() {
      server.child.kill("SIGTERM");
      await server.ended;
      await storage.remove();
    },
  };
}

/** Sends requests of one kind for some seconds. Returns the throughput and the milliseconds that each request cost. */
export async function measure(server, name, { connections, seconds }) {
  const before = spent(server);
  const options = { url: server.url, method: "POST", picks, known: BUYERS, seconds, connections };
  const run = await load({ ...options, ...REQUESTS[name] });
  const after = spent(server);
  const count = run.statuses[200];
  if (Object.keys(run.statuses).length !== 1) throw new Error(`${name}: ${JSON.stringify(run.statuses)}`);
  const each = (part) => (after[part] - before[part]) / count / 1_000;
  return {
    ...run,
    serverMs: each("server"),
    databaseMs: each("database"),
  };
}

/** Processor time so far, in microseconds. */
function spent({ child: { pid }, storage }) {
  return {
    server: sum(processesBelow(pid), cpuMicros),
    database: sum(storage.pids.flatMap(processesBelow), cpuMicros),
  };
}

function sum(values, of) {
  return values.reduce((total, value) => total + of(value), 0);
}
