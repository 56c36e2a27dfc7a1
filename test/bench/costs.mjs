// Measures what a click, a sign-up and a sale cost a server and its store, for `simulate.mjs`.
import { readdirSync, readFileSync } from "node:fs";
import { cpuMicros, KEY, load, post, startStorage, startTidemark } from "./servers.mjs";

const PROMOTERS = 50;
const BUYERS = 100;
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

/** Starts a server on an empty store of this kind, with promoters and customers. */
export async function startMeasured(kind) {
  const storage = await startStorage(kind);
  const server = await startTidemark(storage.url);
  const form = (path, body) => post(server.url, path, KEY, body);
  for (const ref of picks) await form("/api/v1/promoters/create", `email=${ref}%40example.com&ref_id=${ref}`);
  for (let at = 1; at <= BUYERS; at++) {
    await form("/api/v1/track/signup", `email=buyer-${at}%40example.com&ref_id=${picks[at % PROMOTERS]}`);
  }
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
    perSecond: run.perSecond,
    serverMs: each("whole") - each("writer"),
    writeMs: each("writer"),
    databaseMs: each("database"),
  };
}

/** Processor time so far, in microseconds. */
function spent({ child: { pid }, storage }) {
  // SQLite's writer is the busiest thread besides the first.
  const others = readdirSync(`/proc/${pid}/task`).filter((thread) => thread !== String(pid));
  const writer = Math.max(...others.map((thread) => cpuMicros(`${pid}/task/${thread}`)));
  return {
    whole: cpuMicros(pid),
    writer: storage.pid === undefined ? writer : 0,
    database: storage.pid === undefined ? 0 : cpuOfAll(storage.pid),
  };
}

/** A process and its children. Those that have ended are counted with it. */
function cpuOfAll(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
  return [pid, ...children].reduce((sum, each) => sum + cpuMicros(each), 0);
}
