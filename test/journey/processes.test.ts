import { Agent, request, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { once } from "node:events";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { IS_LONG, rounds } from "../support/rounds.ts";
import { KEY, startServer, temporaryFolder, v1, type Server } from "../support/server.ts";
import { leadCountsIn, leadCounts } from "../support/stats.ts";
import { withRecords } from "../support/records.ts";

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

const start = async (environment?: Record<string, string>) => {
  const server = await startServer(folder, environment);
  servers.push(server);
  return server;
};

it("a server names the account, the key, the script tag and the demo page only at the first start", async () => {
  const first = await start({ TIDEMARK_ACCOUNT_ID: "", TIDEMARK_API_KEY: "" });
  const key = /API key {6}(tdm_\S{32})/.exec(first.output())?.[1];
  const account = /Account ID {3}(acc_\S+)/.exec(first.output())?.[1];
  expect(first.output()).toContain(`<script async src="${first.url}/svc.js" data-cid="${account}"></script>`);
  expect(first.output()).toContain(`Demo page    ${first.url}/demo`);
  const answer = await fetch(`${first.url}/api/v1/track/signup`, {
    method: "POST",
    headers: { "x-api-key": key! },
  });
  expect(answer.status).toBe(400);
  expect(await first.stop()).toBe(0);
  const second = await start();
  expect(second.output()).not.toContain("API key");
});

it.runIf(IS_LONG)(
  "a server with a PUBLIC_URL that is not local shows no demo page, unless DEMO asks for it",
  async () => {
    const PUBLIC_URL = "https://track.acme.example";
    const first = await start({ PUBLIC_URL });
    expect((await fetch(`${first.url}/demo`)).status).toBe(404);
    expect((await fetch(`${first.url}/demo/recorded`)).status).toBe(404);
    expect(first.output()).not.toContain("/demo");
    expect(first.output()).toContain(
      "  Next         name the page that promoters' links lead to, in the dashboard",
    );
    const asked = await start({ PUBLIC_URL, DEMO: "1" });
    expect((await fetch(`${asked.url}/demo`)).status).toBe(200);
  },
);

it("a server warns once of variables that are no settings, and reads secrets from files", async () => {
  const file = join(folder, "url");
  writeFileSync(file, `sqlite:${join(folder, "store")}\n`);
  const environment = { STORAGE_URL: "", STORAGE_URL_FILE: file, LOG_LEVEL: "warn", RATE_LIMT_V1: "9" };
  const server = await start({ ...environment, WORKERS: "2" });
  await server.stop();
  const warnings = server
    .output()
    .match(/"RATE_LIMT_V1 is not a setting and has no effect. Did you mean RATE_LIMIT_V1\?"/g);
  expect(warnings).toHaveLength(1);
  expect(statSync(join(folder, "store/tidemark.db")).isFile()).toBe(true);
});

it.runIf(IS_LONG)(
  "a server writes the first key to TIDEMARK_KEY_FILE, and never shows a key that it was given",
  async () => {
    const keyFile = join(folder, "first-key");
    const first = await start({ TIDEMARK_API_KEY: "", TIDEMARK_KEY_FILE: keyFile });
    const key = readFileSync(keyFile, "utf8").trim();
    expect(key).toMatch(/^tdm_\S{32}$/);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(first.output()).toContain(`API key      in ${keyFile}\n`);
    expect(first.output()).not.toContain("tdm_");
    expect((await v1({ url: first.url, key }, "/promoters/create", { email: "j@example.com" })).status).toBe(
      200,
    );
    const second = await start({ STORAGE_URL: `sqlite:${join(folder, "other")}` });
    expect(second.output()).toContain("API key      the value of TIDEMARK_API_KEY\n");
    expect(second.output()).not.toContain(KEY);
  },
);

it.runIf(IS_LONG)("a single process ignores SIGHUP, because it has no workers to renew", async () => {
  const server = await start({ LOG_LEVEL: "info" });
  process.kill(server.pid, "SIGHUP");
  await server.printed(/SIGHUP/);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  expect(await server.stop()).toBe(0);
});

it("a server gets the SIGTERM that npm start gets, and drains", async () => {
  // Without its pre-script, which would rebuild files that other tests are running.
  const server = await startServer(
    folder,
    { LOG_LEVEL: "info" },
    { command: ["npm", "start", "--ignore-scripts"] },
  );
  expect(await server.stop()).toBe(0);
  expect(server.output()).toContain('"msg":"draining"');
  await expect(fetch(server.url)).rejects.toThrow("fetch failed");
});

it.runIf(IS_LONG)("two servers record one of many simultaneous sign-ups of one person", async () => {
  const [first, second] = [await start(), await start()];
  await v1(first, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
  const answers = await Promise.all(
    Array.from({ length: 120 }, (_, index) =>
      v1(index % 2 ? first : second, "/track/signup", { email: "lead@example.com", ref_id: "jane" }),
    ),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const others = answers.filter(({ status }) => status !== 200);
  for (const other of others) {
    expect(other).toEqual({
      status: 422,
      body: { transaction_id: "there is already a signup event registered on this lead" },
    });
  }
  expect(await leadCountsIn(`sqlite:${folder}`)).toEqual(leadCounts(1));
});

it("a server has every acknowledged sign-up, and matching counters, after it was killed again and again", async () => {
  const acknowledged: string[] = [];
  let server = await start();
  await v1(server, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
  for (let round = 0; round < rounds(1, 5); round++) {
    const signups = Array.from({ length: 60 }, async (_, index) => {
      const email = `lead-${round}-${index}@example.com`;
      const { status } = await v1(server, "/track/signup", { email, uid: email, ref_id: "jane" });
      if (status === 200) acknowledged.push(email);
    });
    await Promise.race(signups);
    await server.kill();
    await Promise.allSettled(signups);
    server = await start();
  }
  expect(acknowledged.length).toBeGreaterThan(0);
  for (const email of acknowledged) {
    expect(await v1(server, "/track/signup", { email, ref_id: "jane" })).toMatchObject({ status: 422 });
    expect(await v1(server, "/track/signup", { uid: email, ref_id: "jane" })).toMatchObject({ status: 422 });
  }
  await server.stop();
  const counts = (await leadCountsIn(`sqlite:${folder}`))!;
  expect(counts.records).toBeGreaterThanOrEqual(acknowledged.length);
  expect(counts).toEqual(leadCounts(counts.records));
  const first = await withRecords(`sqlite:${folder}`, (records) => records.get("promoterCampaign", 1));
  expect(first).toMatchObject({ ref_token: "jane" });
});

it("a server finishes running requests when it is stopped, and exits with 0", async () => {
  const server = await start();
  const socket = connect(server.port, "127.0.0.1");
  await once(socket, "connect");
  const body = "email=late%40example.com";
  socket.write(
    `POST /api/v1/track/signup HTTP/1.1\r\nHost: x\r\nX-API-KEY: key-of-acme\r\nContent-Length: ${body.length}\r\n` +
      "Content-Type: application/x-www-form-urlencoded\r\n\r\nemail",
  );
  // The first half must have arrived before the stop, otherwise no request is running.
  await fetch(`${server.url}/healthz`);
  const stopped = server.stop();
  socket.write(body.slice("email".length));
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 404 /);
  expect(await stopped).toBe(0);
});

it.runIf(IS_LONG)(
  "a server answers busy clients until it stops: each connection is closed by its last answer, and none is reset",
  async () => {
    const server = await start();
    await v1(server, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
    const recorded: string[] = [];
    const post = (agent: Agent, uid: string) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const headers = { "x-api-key": KEY, "content-type": "application/x-www-form-urlencoded" };
        const asked = request(`${server.url}/api/v1/track/signup`, { method: "POST", agent, headers });
        asked.once("error", reject);
        asked.once("response", (answer) => answer.resume().once("end", () => resolve(answer)));
        asked.end(`ref_id=jane&uid=${uid}`);
      });
    const work = async (worker: number) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let count = 0; ; count++) {
        const uid = `${worker}-${count}`;
        const answer = await post(agent, uid);
        expect(answer.statusCode).toBe(200);
        recorded.push(uid);
        if (answer.headers.connection === "close") return;
      }
    };
    const workers = Array.from({ length: 40 }, (_, worker) => work(worker));
    await post(new Agent(), "first");
    await Promise.all(Array.from({ length: 100 }, (_, index) => post(new Agent(), `warm-${index}`)));
    const stopped = server.stop();
    await Promise.all(workers);
    expect(await stopped).toBe(0);
    expect(await withRecords(`sqlite:${folder}`, (records) => records.count("lead"))).toBe(
      recorded.length + 101,
    );
  },
);

describe("a running server", () => {
  let running: Server;
  let removeShared: () => void;
  beforeAll(async () => {
    const made = temporaryFolder();
    removeShared = made.remove;
    running = await startServer(made.folder);
  });
  afterAll(async () => {
    await running.kill();
    removeShared();
  });

  it("limits V2 to 4,500 requests a minute of each account, unless the settings say otherwise", async () => {
    const limitOf = async ({ url }: Server) =>
      (
        await fetch(`${url}/api/v2/company/promoters`, {
          headers: { authorization: `Bearer ${KEY}`, "account-id": "acme" },
        })
      ).headers.get("ratelimit-limit");
    expect(await limitOf(await start({ RATE_LIMIT_V2: "" }))).toBe("4500");
    expect(await limitOf(running)).toBeNull();
  });

  it("survives a body that is cut off, an oversized chunked body and data that is not HTTP", async () => {
    for (const text of [
      "POST /api/v1/track/signup HTTP/1.1\r\nHost: x\r\nX-API-KEY: key-of-acme\r\nContent-Length: 50\r\n\r\nemail=a",
      `POST /t/click HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n20000\r\n${"x".repeat(0x20000)}\r\n0\r\n\r\n`,
      "hello\r\n\r\n",
    ]) {
      const socket = connect(running.port, "127.0.0.1");
      await once(socket, "connect");
      socket.end(text);
      socket.resume();
      await once(socket, "close");
      expect((await fetch(`${running.url}/healthz`)).status, text.slice(0, 80)).toBe(200);
    }
    expect(running.output()).not.toContain('"msg":"bug"');
  });

  it("lets clients read that their address is too long", async () => {
    const agent = new Agent({ keepAlive: true });
    const ask = (path: string) =>
      new Promise<number>((resolve, reject) => {
        const asked = request(`${running.url}${path}`, { agent });
        asked.once("error", reject);
        asked.once("response", (answer) => answer.resume().once("end", () => resolve(answer.statusCode!)));
        asked.end();
      });
    for (let count = 0; count < rounds(5, 40); count++) {
      expect(await ask("/healthz")).toBe(200);
      expect(await ask(`/${"a".repeat(75_000)}`)).toBe(431);
    }
    agent.destroy();
  });
});

it("a server reports every fault of its environment at once", async () => {
  await expect(start({ PORT: "x", PUBLIC_URL: "ftp://x", DEMO: "2" })).rejects.toThrow(
    /PORT must be a whole number[^]*PUBLIC_URL must be an http\(s\) address[^]*DEMO must be 0 or 1/,
  );
});
