import { writeFileSync } from "node:fs";
import { Agent, request, type IncomingMessage } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { childrenOf } from "../support/child-processes.ts";
import { freePort } from "../support/free-port.ts";
import { rounds } from "../support/rounds.ts";
import { KEY, startServer, temporaryFolder, v1, type Server } from "../support/server.ts";
import { pause } from "../support/signup-load.ts";
import { withRecords } from "../support/records.ts";

const WORKERS = rounds(2, 3);

let folder: string;
let remove: () => void;
let servers: Server[];
beforeEach(() => {
  ({ folder, remove } = temporaryFolder());
  servers = [];
});
afterEach(async () => {
  await Promise.all(servers.map((server) => server.kill()));
  remove();
});

const start = async (environment: Record<string, string> = {}) => {
  const server = await startServer(folder, { WORKERS: String(WORKERS), LOG_LEVEL: "info", ...environment });
  servers.push(server);
  return server;
};

const workersOf = ({ pid }: Server) => childrenOf(pid);

/** Sends a request on a new connection, so that any worker may get it. */
function ask(server: Server, path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; headers: IncomingMessage["headers"]; body: string }>(
    (resolve, reject) => {
      const asked = request(`${server.url}${path}`, { agent: new Agent(), headers });
      asked.once("error", reject);
      asked.once("response", async (answer) => {
        let body = "";
        for await (const chunk of answer) body += String(chunk);
        resolve({ status: answer.statusCode!, headers: answer.headers, body });
      });
      asked.end();
    },
  );
}

const askAtOnce = (count: number, ...[server, path, headers]: Parameters<typeof ask>) =>
  Promise.all(Array.from({ length: count }, () => ask(server, path, headers)));

const logLines = (server: Server) =>
  server
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

it("a server with workers makes the first account once, says once that it listens, and counts limits over all workers", async () => {
  const server = await start({ TIDEMARK_ACCOUNT_ID: "", TIDEMARK_API_KEY: "", RATE_LIMIT_V1: "20" });
  expect(workersOf(server)).toHaveLength(WORKERS);
  expect(server.output().match(/API key/g)).toHaveLength(1);
  expect(server.output().match(/listens on/g)).toHaveLength(1);
  const key = /API key {6}(tdm_\S{32})/.exec(server.output())![1]!;
  const answers = await askAtOnce(30, server, "/api/v1/leads/list", { "x-api-key": key });
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
  const remaining = answers.map(({ headers }) => Number(headers["ratelimit-remaining"]));
  expect(remaining.sort((a, b) => b - a).slice(0, 20)).toEqual(
    Array.from({ length: 20 }, (_, at) => 19 - at),
  );
});

const LIST = "/api/v1/leads/list";

it("all workers together allow no more failed attempts than the limit, however many come at once", async () => {
  const server = await start();
  const guesses = Array.from({ length: 90 }, (_, at) => ask(server, LIST, { "x-api-key": `guess ${at}` }));
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(30);
  expect(statuses.filter((status) => status === 429)).toHaveLength(60);
});

/** Asks each worker in turn. The others are frozen meanwhile, so they accept no connection. */
async function askEach(server: Server, key: string): Promise<number[]> {
  const workers = workersOf(server);
  const statuses: number[] = [];
  for (const asked of workers) {
    const others = workers.filter((worker) => worker !== asked);
    for (const other of others) process.kill(other, "SIGSTOP");
    statuses.push((await ask(server, LIST, { "x-api-key": key })).status);
    for (const other of others) process.kill(other, "SIGCONT");
  }
  return statuses;
}

it.each([
  ["accept a key that was good in one of them", true, 200],
  ["refuse a key that nobody has used", false, 429],
])("all workers %s after too many failed attempts", async (_, isUsed, status) => {
  const server = await start({ WORKERS: "2" });
  if (isUsed) expect((await ask(server, LIST, { "x-api-key": KEY })).status).toBe(200);
  await askAtOnce(30, server, LIST, { "x-api-key": "wrong" });
  expect(await askEach(server, "wrong")).toEqual([429, 429]);
  expect(await askEach(server, KEY)).toEqual([status, status]);
});

it("workers record one of many simultaneous sign-ups, and give no id twice", async () => {
  const server = await start();
  await v1(server, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
  const answers = await Promise.all(
    Array.from({ length: 90 }, (_, at) =>
      v1(server, "/track/signup", { email: `lead-${at % 30}@example.com`, ref_id: "jane" }),
    ),
  );
  const recorded = answers.filter(({ status }) => status === 200);
  expect(recorded).toHaveLength(30);
  expect(new Set(recorded.map(({ body }) => body["id"])).size).toBe(30);
  expect(await server.stop()).toBe(0);
  expect(await withRecords(`sqlite:${folder}`, (records) => records.count("lead"))).toBe(30);
});

it("every worker shows the metrics of all workers on one page", async () => {
  const METRICS_URL = `127.0.0.1:${await freePort()}`;
  const server = await start({ METRICS_URL });
  await v1(server, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
  await askAtOnce(30, server, "/healthz");
  const count = 'tidemark_http_request_duration_seconds_count{method="GET",route="/healthz",status="200"}';
  for (const { body } of await askAtOnce(4, { ...server, url: `http://${METRICS_URL}` }, "/metrics")) {
    expect(body).toContain(`${count} 30\n`);
    expect(body).toContain("tidemark_store_ready 1\n");
    expect(body).toMatch(/^tidemark_store_commits_total [1-9]/m);
    expect(body).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
  }
  expect((await ask(server, "/metrics")).status).toBe(404);
});

it("a server starts and shows the first key even if one of its first workers dies before it listens", async () => {
  const fault = join(folder, "fault.mjs");
  writeFileSync(fault, 'import cluster from "node:cluster"; if (cluster.worker?.id === 2) process.exit(3);');
  const NODE_OPTIONS = `--import=${pathToFileURL(fault)}`;
  const server = await start({ NODE_OPTIONS, TIDEMARK_ACCOUNT_ID: "", TIDEMARK_API_KEY: "" });
  expect(server.output()).toContain("API key");
  expect(logLines(server)).toContainEqual(
    expect.objectContaining({ msg: "worker died; it will be replaced", code: 3 }),
  );
  await server.printed(/worker replaced/);
  expect(workersOf(server)).toHaveLength(WORKERS);
});

it("a server replaces workers that die while the others serve", async () => {
  const server = await start({ WORKERS: "3" });
  const before = workersOf(server);
  for (const [at, pid] of before.slice(0, 2).entries()) {
    process.kill(pid, "SIGKILL");
    await server.printed(new RegExp(`("msg":"worker died[^]*){${at + 1}}`));
    expect((await ask(server, "/healthz")).status).toBe(200);
    await server.printed(new RegExp(`("msg":"worker replaced"[^]*){${at + 1}}`));
  }
  const deaths = logLines(server).filter(({ msg }) => String(msg).startsWith("worker died"));
  expect(deaths).toMatchObject([
    { worker: before[0], signal: "SIGKILL" },
    { worker: before[1], signal: "SIGKILL" },
  ]);
  expect(workersOf(server)).toHaveLength(3);
  expect(workersOf(server)).toContain(before[2]);
  expect(server.output().match(/listens on/g)).toHaveLength(1);
});

/** Opens a process's second port, for metrics, long after its first one. */
const SLOW_START = `
  import { Server } from "node:net";
  const { listen } = Server.prototype;
  let count = 0;
  Server.prototype.listen = function (...words) {
    setTimeout(() => listen.apply(this, words), count++ === 1 ? 300 : 0);
    return this;
  };
`;

it("a server renews its workers on SIGHUP without a failing request", async () => {
  const slow = join(folder, "slow.mjs");
  writeFileSync(slow, SLOW_START);
  const METRICS_URL = `127.0.0.1:${await freePort()}`;
  const server = await start({ WORKERS: "2", METRICS_URL, NODE_OPTIONS: `--import=${pathToFileURL(slow)}` });
  const before = workersOf(server);
  const renewal = { isOver: false };
  const work = async (asked: Server, path: string) => {
    while (!renewal.isOver) {
      expect((await ask(asked, path)).status).toBe(200);
      await pause();
    }
  };
  const metrics = { ...server, url: `http://${METRICS_URL}` };
  const working = Promise.all([
    work(server, "/healthz"),
    work(server, "/healthz"),
    work(metrics, "/metrics"),
  ]);
  process.kill(server.pid, "SIGHUP");
  await server.printed(/workers renewed/);
  renewal.isOver = true;
  await working;
  expect(workersOf(server).filter((pid) => !before.includes(pid))).toHaveLength(2);
  expect(server.output()).not.toContain("worker died");
});

/** Resolves to the workers when there are as many as expected. */
async function untilWorkers(server: Server, count: number): Promise<number[]> {
  let workers: number[] = [];
  await expect.poll(() => (workers = workersOf(server))).toHaveLength(count);
  return workers;
}

it("a server keeps the number of its workers when it gets SIGHUP twice at once", async () => {
  const server = await start({ WORKERS: "2" });
  const before = workersOf(server);
  process.kill(server.pid, "SIGHUP");
  const amid = await untilWorkers(server, 3);
  process.kill(server.pid, "SIGHUP");
  await server.printed(/workers renewed[^]*workers renewed/);
  const after = await untilWorkers(server, 2);
  expect(after).toHaveLength(2);
  expect(after.filter((pid) => before.includes(pid) || amid.includes(pid))).toEqual([]);
});

it("a server keeps the number of its workers when one dies during a renewal", async () => {
  const server = await start({ WORKERS: "2" });
  const before = workersOf(server);
  process.kill(server.pid, "SIGHUP");
  await server.printed(/draining/);
  process.kill(
    workersOf(server).find((pid) => !before.includes(pid))!,
    "SIGKILL",
  );
  await server.printed(/workers renewed/);
  const after = await untilWorkers(server, 2);
  expect(after.filter((pid) => !before.includes(pid))).toHaveLength(2);
});

it("a server exits with 0 when it is stopped during a renewal", async () => {
  const server = await start({ WORKERS: "2" });
  process.kill(server.pid, "SIGHUP");
  await untilWorkers(server, 3);
  expect(await server.stop()).toBe(0);
});

it("a server answers busy clients until it stops, and all its workers exit with 0", async () => {
  const server = await start();
  await v1(server, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
  let recordedCount = 0;
  const work = async (worker: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let count = 0; ; count++) {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const headers = { "x-api-key": KEY, "content-type": "application/x-www-form-urlencoded" };
        const asked = request(`${server.url}/api/v1/track/signup`, { method: "POST", agent, headers });
        asked.once("error", reject);
        asked.once("response", (answer) => answer.resume().once("end", () => resolve(answer)));
        asked.end(`ref_id=jane&uid=${worker}-${count}`);
      });
      expect(answer.statusCode).toBe(200);
      recordedCount++;
      if (answer.headers.connection === "close") return;
    }
  };
  const clients = Array.from({ length: 30 }, (_, worker) => work(worker));
  await askAtOnce(60, server, "/healthz");
  const stopped = server.stop();
  await Promise.all(clients);
  expect(await stopped).toBe(0);
  expect(await withRecords(`sqlite:${folder}`, (records) => records.count("lead"))).toBe(recordedCount);
});

it("a killed primary takes its workers along", async () => {
  const server = await start({ WORKERS: "2" });
  await server.kill();
  // Its output ends when the last process that writes to it has ended.
  await expect(ask(server, "/healthz")).rejects.toThrow("ECONNREFUSED");
});

it("a server with workers says only once what keeps it from starting", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  const failure = await start({ PORT: String(port), LOG_LEVEL: "error" }).catch(String);
  expect(failure).toMatch(
    /^Error: The server ended with 1: Tidemark can't start: HOST 127\.0\.0\.1 and PORT \d+ .*EADDRINUSE.*\n$/,
  );
  other.close();
});
