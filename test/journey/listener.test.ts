import { once } from "node:events";
import { Agent, request, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { FastResponse } from "srvx";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newListener, type Listener } from "../../server/http/listener.ts";
import { streamed } from "../../server/http/answer.ts";
import { KEY, startApp } from "../support/app.ts";

const HOST = "127.0.0.1";
const TIMES = { graceMs: 50, cutMs: 2_000 };

let listener: Listener;
let port: number;
let agents: Agent[];
beforeEach(async () => {
  listener = newListener(TIMES);
  port = await listener.listen({ host: HOST, port: 0 });
  agents = [];
});
afterEach(async () => {
  for (const agent of agents) agent.destroy();
  await listener.drain();
});

/** A client with one connection, which it keeps. */
function client(): (path: string) => Promise<{ status: number; connection: string; body: string }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agents.push(agent);
  return async (path) => {
    const asked = request({ host: HOST, port, path, agent });
    asked.end();
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    let body = "";
    for await (const chunk of answer) body += String(chunk);
    return { status: answer.statusCode!, connection: answer.headers.connection!, body };
  };
}

/**
 * A handler of `/slow` that answers when it is released (also by `/open`), and that reports when it was
 * reached.
 */
function gate() {
  const { promise: reached, resolve: reach } = withResolvers<void>();
  const { promise: opened, resolve: open } = withResolvers<void>();
  listener.serve(async ({ url }) => {
    const { pathname } = new URL(url);
    if (pathname === "/open") open();
    if (pathname === "/slow") {
      reach();
      await opened;
    }
    return new Response("done");
  });
  return { reached, open };
}

function withResolvers<T>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((done) => void (resolve = done));
  return { promise, resolve };
}

async function dial(text = ""): Promise<Socket> {
  const socket = connect(port, HOST);
  socket.on("error", () => {}); // a reset ends a connection as well as any other end
  await once(socket, "connect");
  if (text !== "") socket.write(text);
  return socket;
}

/** Resolves when a connection is closed, even by a reset, which `once` would turn into an error. */
function untilClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once("close", () => resolve());
  });
}

it("a listener answers 503 from the moment its port is open until it serves", async () => {
  const ask = client();
  expect(await ask("/readyz")).toMatchObject({ status: 503, body: '{"status":"starting"}' });
  listener.serve(() => new Response("ready"));
  expect(await ask("/readyz")).toEqual({ status: 200, connection: "keep-alive", body: "ready" });
});

describe("a drain", () => {
  it("answers running requests and those on kept connections, and closes each connection with its answer", async () => {
    const { reached, open } = gate();
    const [busy, kept] = [client(), client()];
    expect((await kept("/")).connection).toBe("keep-alive");
    const slow = busy("/slow");
    await reached;
    const drained = listener.drain();
    expect(await kept("/")).toEqual({ status: 200, connection: "close", body: "done" });
    await expect(kept("/")).rejects.toThrow("ECONNREFUSED");
    open();
    expect(await slow).toEqual({ status: 200, connection: "close", body: "done" });
    await drained;
  });

  it.each([
    ["before", "/slow /", ""],
    ["after", "/slow", "/"],
  ])(
    "closes a connection after the last of the requests that it sent at once %s the drain began",
    async (_, ...sent) => {
      const { reached } = gate();
      const [first, second] = sent.map((paths) =>
        paths.replace(/\S+ ?/g, (path) => `GET ${path.trim()} HTTP/1.1\r\nHost: x\r\n\r\n`),
      );
      const other = client();
      await other("/");
      const socket = await dial(first);
      let answers = "";
      socket.on("data", (chunk) => (answers += String(chunk)));
      await reached;
      const drained = listener.drain();
      socket.write(second!);
      await other("/open"); // which is read after what was written before
      await untilClosed(socket);
      expect(answers.match(/^(HTTP|Connection).*$/gm)!.map((line) => line.trim())).toEqual([
        "HTTP/1.1 200",
        "Connection: keep-alive",
        "HTTP/1.1 200",
        "Connection: close",
      ]);
      await drained;
    },
  );

  it("closes idle connections, used or new", async () => {
    listener.serve(() => new Response("done"));
    await client()("/");
    const fresh = await dial();
    const closed = untilClosed(fresh);
    await listener.drain();
    await closed;
  });

  it("waits for handlers whose clients are gone", async () => {
    const { reached, open } = gate();
    const socket = await dial("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
    await reached;
    socket.destroy();
    let isDrained = false;
    const drained = listener.drain().then(() => (isDrained = true));
    await expect(client()("/")).rejects.toThrow();
    expect(isDrained).toBe(false);
    open();
    await drained;
  });

  it("cuts a request that never ends", async () => {
    listener.serve(async (asked) => new Response(await asked.text().catch(() => "cut")));
    const socket = await dial("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf");
    const closed = untilClosed(socket);
    await listener.drain();
    await closed;
  });
});

it.each([
  ["too large", 413, KEY],
  ["a stranger's", 401, "wrong"],
])(
  "a listener ends a connection whose body continues after the answer that it is %s",
  async (_, status, key) => {
    const app = await startApp();
    listener.serve(app.app.fetch);
    const socket = await dial(
      "POST /api/v1/track/signup HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n" +
        `Content-Type: application/x-www-form-urlencoded\r\nX-API-KEY: ${key}\r\n\r\n`,
    );
    let answer = "";
    socket.on("data", (chunk) => (answer += String(chunk)));
    const chunk = `8000\r\n${"a".repeat(0x8000)}\r\n`;
    const sending = setInterval(() => socket.writable && socket.write(chunk), 20);
    await untilClosed(socket);
    clearInterval(sending);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    await app.close();
  },
);

describe("a client that sends too slowly or too much", () => {
  const SLOW = { ...TIMES, headersMs: 100, requestMs: 300, checkMs: 20 };
  it.each([
    ["headers one by one", "GET / HTTP/1.1\r\nHost: x\r\n", "X-A: b\r\n"],
    ["a body letter by letter", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\n", "a"],
    [
      "a chunked body letter by letter",
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
      "1\r\na\r\n",
    ],
  ])("is cut off while it sends %s, and others are served", async (_, begin, more) => {
    const slow = newListener(SLOW);
    port = await slow.listen({ host: HOST, port: 0 });
    slow.serve(async (asked) => new Response(await asked.text().catch(() => "cut")));
    const socket = await dial(begin);
    const trickle = setInterval(() => socket.writable && socket.write(more), 20);
    const closed = untilClosed(socket);
    socket.resume();
    expect((await client()("/")).status).toBe(200);
    await closed;
    clearInterval(trickle);
    for (const agent of agents) agent.destroy();
    await slow.drain();
  });

  it.each([
    ["headers of more than 64 KiB", 431, `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${"a".repeat(66_000)}\r\n\r\n`],
    ["an endless address", 431, `GET /${"a".repeat(2_000_000)}`],
    ["a flood of headers", 431, `GET / HTTP/1.1\r\nHost: x\r\n${"X-A: b\r\n".repeat(60_000)}\r\n`],
    [
      "a chunk of no size",
      400,
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n",
    ],
    [
      "chunks with endless extensions",
      413,
      `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;${"a".repeat(100_000)}\r\nb\r\n`,
    ],
    ["two lengths", 400, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"],
    [
      "a length beside chunks",
      400,
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["a length that is not a number", 400, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"],
    ["data that is not HTTP", 400, "\u0000\u0001\u0002 hello\r\n\r\n"],
  ])("can read the reason, and is cut off, after %s", async (_, status, text) => {
    listener.serve(async (asked) => new Response(await asked.text().catch(() => "cut")));
    const socket = await dial(text);
    let answer = "";
    socket.on("data", (chunk) => (answer += String(chunk)));
    await untilClosed(socket);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect((await client()("/")).status).toBe(200);
  });

  it("gets the answer that a body of 1 GB is too large at once, and can't send it", async () => {
    const app = await startApp();
    listener.serve(app.app.fetch);
    const socket = await dial(
      "POST /api/v1/track/signup HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n" +
        `Content-Type: application/x-www-form-urlencoded\r\nX-API-KEY: ${KEY}\r\n\r\n`,
    );
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /);
    socket.write("a".repeat(1_000_000));
    await untilClosed(socket);
    await app.close();
  });

  it("loses only its own connection if its body is shorter than announced", async () => {
    const app = await startApp();
    listener.serve(app.app.fetch);
    const socket = await dial(
      "POST /api/v1/track/signup HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n" +
        `Content-Type: application/x-www-form-urlencoded\r\nX-API-KEY: ${KEY}\r\n\r\nemail=a%40b.example&ref_id=jane`,
    );
    socket.end();
    socket.resume();
    await untilClosed(socket);
    expect((await client()("/healthz")).status).toBe(200);
    expect(app.bugs).toEqual([]);
    await app.close();
  });
});

it("a listener treats data after a body as the next request, and answers both in order", async () => {
  listener.serve(async (asked) => new Response(`${asked.method} ${await asked.text()}`));
  const socket = await dial();
  let answers = "";
  socket.on("data", (chunk) => (answers += String(chunk)));
  const posts = Array.from(
    { length: 50 },
    (_, at) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${String(at).length}\r\n\r\n${at}`,
  );
  socket.write(`${posts.join("")}GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  await untilClosed(socket);
  const bodies = answers.match(/(POST|GET) \d*(?=HTTP|\r|$)/g)!.map((body) => body.trim());
  expect(bodies).toEqual([...posts.map((_, at) => `POST ${at}`), "GET"]);
});

it("a listener serves others while a thousand connections are silent", async () => {
  listener.serve(() => new Response("done"));
  const idle = await Promise.all(Array.from({ length: 1_000 }, () => dial()));
  expect((await client()("/")).status).toBe(200);
  const drained = listener.drain();
  await Promise.all(idle.map((socket) => untilClosed(socket)));
  await drained;
});

/** Reads whole answers with `Content-Length` from a connection. Resolves when it is closed. */
async function readAnswers(
  socket: Socket,
): Promise<{ status: string; connection: string; length: number }[]> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk)).resume();
  await untilClosed(socket);
  const text = Buffer.concat(chunks).toString("latin1");
  return text.split(/(?=HTTP\/1\.1 )/).map((answer) => ({
    status: answer.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length),
    connection: /^connection: (.*)\r$/im.exec(answer)?.[1] ?? "",
    length: answer.length - answer.indexOf("\r\n\r\n") - 4,
  }));
}

describe("requests that one connection sends without waiting for answers", () => {
  const LARGE = 400_000;
  const FLOOD = "GET /large HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1_500);

  it("are answered one by one, and others are served meanwhile", async () => {
    let underWay = 0;
    let most = 0;
    listener.serve(async ({ url }) => {
      if (!url.endsWith("/large")) return new FastResponse("healthy");
      most = Math.max(most, ++underWay);
      await new Promise(setImmediate);
      underWay--;
      return new FastResponse("a".repeat(LARGE));
    });
    const sockets = await Promise.all(Array.from({ length: 12 }, () => dial()));
    const ask = client();
    for (const socket of sockets) socket.pause().write(FLOOD);
    for (let at = 0; at < 20; at++) expect((await ask("/healthz")).status).toBe(200);
    const answers = await readAnswers(sockets.pop()!);
    for (const socket of sockets) socket.destroy();
    expect(most).toBeLessThanOrEqual(12);
    // The hundredth answer says that nothing after it was read.
    const answer = { status: "200", connection: "keep-alive", length: LARGE };
    const last = { ...answer, connection: "close" };
    expect(answers).toEqual(Array.from({ length: 100 }, (_, at) => (at < 99 ? answer : last)));
  });

  it("wait for each other, whatever their methods", async () => {
    const { reached, open } = gate();
    const socket = await dial(
      "GET /slow HTTP/1.1\r\nHost: x\r\n\r\nPOST /open HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na" +
        "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n",
    );
    await reached;
    expect((await client()("/")).status).toBe(200);
    open();
    const answers = await readAnswers(socket);
    expect(answers.map(({ connection }) => connection)).toEqual(["keep-alive", "keep-alive", "close"]);
  });

  it("are dropped with their connection", async () => {
    const { reached, open } = gate();
    const socket = await dial(`GET /slow HTTP/1.1\r\nHost: x\r\n\r\nGET /open HTTP/1.1\r\nHost: x\r\n\r\n`);
    await reached;
    socket.destroy();
    expect((await client()("/")).status).toBe(200);
    open();
  });
});

it("a listener closes a connection whose answer nobody reads, and no other", async () => {
  const strict = newListener({ ...TIMES, answerMs: 200, checkMs: 20 });
  port = await strict.listen({ host: HOST, port: 0 });
  strict.serve(({ url }) => new FastResponse(url.endsWith("/large") ? "a".repeat(50_000_000) : "done"));
  const ask = client();
  expect((await ask("/")).status).toBe(200);
  const socket = (await dial("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")).pause();
  // A client that reads nothing does not notice the end of its connection until it writes.
  const knock = setInterval(() => socket.write("\r\n"), 20);
  await untilClosed(socket);
  clearInterval(knock);
  expect((await ask("/")).status).toBe(200);
  for (const agent of agents) agent.destroy();
  await strict.drain();
});

describe("a streamed answer", () => {
  const answerMs = 200;
  let strict: Listener;
  beforeEach(async () => {
    strict = newListener({ ...TIMES, answerMs, checkMs: 20 });
    port = await strict.listen({ host: HOST, port: 0 });
  });
  afterEach(async () => {
    for (const agent of agents) agent.destroy();
    await strict.drain();
  });
  const serveParts = (parts: () => AsyncGenerator<string>) =>
    strict.serve(() => streamed(parts(), "text/csv", {}));

  it("may take longer than the limit while it is read", async () => {
    serveParts(async function* () {
      const begun = performance.now();
      for (let line = 0; performance.now() - begun < 3 * answerMs; line++) {
        yield `${line}\n`;
        await nextTurn();
      }
      yield "end";
    });
    expect((await client()("/")).body).toMatch(/\nend$/);
  });

  it("is closed when nobody reads it, and its source is closed with it", async () => {
    const { promise: closed, resolve: close } = withResolvers<void>();
    serveParts(async function* () {
      try {
        for (;;) yield "a".repeat(100_000);
      } finally {
        close();
      }
    });
    const socket = (await dial("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")).pause();
    const knock = setInterval(() => socket.write("\r\n"), 20);
    await untilClosed(socket);
    clearInterval(knock);
    await closed;
  });

  it("that fails half way ends the connection, so that nobody takes it for whole", async () => {
    serveParts(async function* () {
      yield "first\n";
      throw new Error("the store is gone");
    });
    await expect(client()("/")).rejects.toThrow(/aborted|hang up/);
  });
});

it.each([
  ["two hosts", "GET / HTTP/1.1\r\nHost: a.example\r\nhost: b.example\r\n\r\n"],
  ["the same host twice", "GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n"],
  [
    "a body that is encoded otherwise than in chunks",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
  ],
  [
    "a body that is not in chunks",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
  ],
  ["two hosts of an old client", "GET / HTTP/1.0\r\nHost: a.example\r\nHost: b.example\r\n\r\n"],
  [
    "two encodings in headers of their own",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ],
])("a listener refuses %s, and ignores everything after it", async (_, text) => {
  const heard: string[] = [];
  listener.serve(({ url }) => {
    heard.push(new URL(url).pathname);
    return new FastResponse("done");
  });
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const refusal = { status: "400", connection: "close", length: 0 };
  expect(await readAnswers(await dial(text + get("/after")))).toEqual([refusal]);
  const answers = await readAnswers(await dial(get("/before") + text + get("/after")));
  expect(answers).toEqual([{ status: "200", connection: "keep-alive", length: 4 }, refusal]);
  expect(heard).toEqual(["/before"]);
});

it("spells the headers of lists as clients compare them, letter by letter", async () => {
  const app = await startApp();
  try {
    listener.serve((asked) => app.app.fetch(asked));
    const headers = { "x-api-key": KEY };
    for (const email of ["jane@example.com", "joe@example.com"]) {
      await app.v1("/promoters/create", { email });
    }
    const asked = request({ host: HOST, port, path: "/api/v1/promoters/list?per_page=1", headers });
    asked.end();
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    answer.resume();
    const names = answer.rawHeaders.filter((_, at) => at % 2 === 0);
    expect(names).toEqual(expect.arrayContaining(["Total", "Per-Page", "Link", "content-type"]));
  } finally {
    await app.close();
  }
});
