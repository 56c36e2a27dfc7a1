import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { childrenOf } from "../support/child-processes.ts";
import { allEntries, findFaults, inStore } from "../support/consistency.ts";
import { freePort } from "../support/free-port.ts";
import { rounds } from "../support/rounds.ts";
import { startServer, temporaryFolder, v1, type Server } from "../support/server.ts";
import { startSignups } from "../support/signup-load.ts";

const CLIENTS = 16;
const KILLS = rounds(2, 8);

let folder: string;
let remove: () => void;
let server: Server;
let port: number;
// A fixed port: with 0 the port would change once all workers are gone.
const start = () =>
  startServer(folder, { WORKERS: String(rounds(2, 4)), LOG_LEVEL: "info", PORT: String(port) });
beforeEach(async () => {
  ({ folder, remove } = temporaryFolder());
  port = await freePort();
  server = await start();
  await v1(server, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
});
afterEach(async () => {
  await server.kill();
  remove();
});

/** Stops the server cleanly, and compares the store with what the server acknowledged. */
async function expectWhole(recorded: string[]): Promise<void> {
  expect(await server.stop()).toBe(0);
  expect(await inStore(`sqlite:${folder}`, findFaults)).toEqual([]);
  const text = (await inStore(`sqlite:${folder}`, allEntries)).map(({ doc }) => doc).join("\n");
  expect(recorded.filter((uid) => !text.includes(`"${uid}"`))).toEqual([]);
}

/** Asks over several connections. `answers` fills as they end, with "" for those that got no answer. */
async function askOverConnections(count: number) {
  const answers: string[] = [];
  let onAnswer = () => {};
  for (let at = 0; at < count; at++) {
    const socket = connect(server.port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk) => (answer += String(chunk)));
    socket.on("error", () => {}); // a reset ends a connection as well as any other end
    socket.once("close", () => (answers.push(answer.slice(0, "HTTP/1.1 200".length)), onAnswer()));
    await once(socket, "connect");
    socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  }
  return {
    answers,
    ended: (goal: number) =>
      new Promise<void>((resolve) => {
        onAnswer = () => void (answers.length >= goal && resolve());
        onAnswer();
      }),
  };
}

it.each(["SIGCONT", "SIGKILL"])(
  "nobody waits for a worker that is frozen and then gets %s",
  async (signal) => {
    const [frozen] = childrenOf(server.pid);
    process.kill(frozen!, "SIGSTOP");
    const asked = await askOverConnections(8);
    await asked.ended(8);
    process.kill(frozen!, signal);
    await (await askOverConnections(8)).ended(8);
    expect(asked.answers).toEqual(Array.from({ length: 8 }, () => "HTTP/1.1 200"));
  },
);

it("a server ends the connections of workers that are killed during requests", async () => {
  const closed = Array.from({ length: 8 }, () => sendAndWait("POST /t/click HTTP/1.1\r\n"));
  await (await askOverConnections(8)).ended(8);
  for (const worker of childrenOf(server.pid)) process.kill(worker, "SIGKILL");
  await Promise.all(closed);
});

it("a server continues after each of its workers was frozen at work", async () => {
  const load = startSignups(server, { clients: CLIENTS, name: "frozen" });
  for (const worker of childrenOf(server.pid)) {
    await load.more(50);
    process.kill(worker, "SIGSTOP");
    // Reads continue even if the worker was frozen in the middle of a write.
    await (await askOverConnections(8)).ended(8);
    process.kill(worker, "SIGCONT");
  }
  await load.more(200);
  await load.stop();
  expect(load.refused).toEqual([]);
  expect(server.output()).not.toContain("worker died");
  await expectWhole(load.recorded);
});

it("a server loses nothing, and is never long without a worker, when workers are killed again and again", async () => {
  const load = startSignups(server, { clients: CLIENTS, name: "killed" });
  for (let kill = 0; kill < KILLS; kill++) {
    await load.more(30);
    const workers = childrenOf(server.pid);
    process.kill(workers[kill % workers.length]!, "SIGKILL");
  }
  await load.more(200);
  await load.stop();
  expect(load.refused).toEqual([]);
  await expectWhole(load.recorded);
});

it("a killed primary takes busy workers along, and leaves its port and a consistent store to the next server", async () => {
  const recorded: string[] = [];
  for (let round = 0; round < rounds(1, 3); round++) {
    const load = startSignups(server, { clients: CLIENTS, name: `round-${round}` });
    await load.more(100);
    await server.kill(); // resolves when the last process that writes to the server's output has ended
    await load.stop();
    recorded.push(...load.recorded);
    server = await start();
  }
  await expectWhole(recorded);
});

it("a server says that its port is in use, and the other server keeps serving", async () => {
  const failure = await start().catch(String);
  expect(failure).toMatch(/^Error: The server ended with 1: Tidemark can't start: HOST .* EADDRINUSE.*\n$/);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect(server.output()).not.toMatch(/"level":[45]0/);
});

it("a server stops cleanly and soon despite slow headers, slow bodies and bodies that are too large", async () => {
  const post = "POST /api/v1/track/signup HTTP/1.1\r\nHost: x\r\nX-API-KEY: key-of-acme\r\n";
  const texts = [
    "GET /healthz HTTP/1.1\r\nHost: x\r\n",
    `${post}Content-Length: 9000\r\n\r\nemail=`,
    `${post}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n`,
    `${post}Content-Length: 1000000000\r\n\r\n${"a".repeat(200_000)}`,
    `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${"a".repeat(20_000)}\r\n`,
    "",
  ];
  const closed = texts.flatMap((text) => Array.from({ length: 50 }, () => sendAndWait(text)));
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect(await server.stop()).toBe(0);
  await Promise.all(closed);
  expect(server.output()).not.toMatch(/"level":[45]0/);
});

/** Sends an incomplete request. Resolves when the connection has ended. */
async function sendAndWait(text: string): Promise<void> {
  const socket = connect(server.port, "127.0.0.1", () => socket.write(text));
  socket.resume();
  socket.on("error", () => {}); // a reset ends a connection as well as any other end
  await new Promise((resolve) => socket.once("close", resolve));
}
