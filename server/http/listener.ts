import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Server as NetServer, type AddressInfo, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { ServerRequest } from "srvx";
import { toNodeHandler } from "srvx/node";

/**
 * The size of all headers of a request. Browsers send the cookies of a whole site to this server's subdomain, and sites
 * may set more than Node's default limit of 16 KiB. Each connection may occupy this much memory.
 */
const MAX_HEADERS_BYTES = 64 * 1024;
/**
 * How long a client may take to send all headers, and a whole request. Slower clients would only occupy connections.
 */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/**
 * The longest time for a request and its answer together. A client that reads more slowly would keep the answer in
 * memory.
 */
const ANSWER_TIMEOUT_MS = 60_000;
/** How often Node checks for slow clients. With its default of 30 s, they would get several times the limit. */
const CHECK_MS = 2_000;
/** Longer than the usual minute of proxies, so that they never send into a closing connection. */
const KEEP_ALIVE_MS = 65_000;
/** How long a client may keep sending after its answer, so that it can read the answer. */
const UNREAD_MS = 1_000;
/** How long a drain keeps an idle connection open for one more request, whose answer closes it. */
const GRACE_MS = 500;
const SWEEP_MS = 100;
/** The longest wait for running requests, because the whole shutdown may take 10 s. */
const CUT_MS = 8_000;

/** An HTTP port that answers every request it has accepted, from opening to the end of the drain. */
export interface Listener {
  /** Opens the port and returns its number. Every answer is 503 until `serve` is called. */
  listen(at: { host: string; port: number }): Promise<number>;
  /** Answers with `fetch` from now on. */
  serve(fetch: (request: ServerRequest) => Response | Promise<Response>): void;
  /** Accepts no more connections, ends the open ones, and resolves when no request is under way. */
  drain(): Promise<void>;
}

/** Makes a listener. Tests pass shorter times. */
export function newListener({
  graceMs = GRACE_MS,
  cutMs = CUT_MS,
  headersMs = HEADERS_TIMEOUT_MS,
  requestMs = REQUEST_TIMEOUT_MS,
  answerMs = ANSWER_TIMEOUT_MS,
  checkMs = CHECK_MS,
} = {}): Listener {
  const server = createServer({
    maxHeaderSize: MAX_HEADERS_BYTES,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  /** Handlers that still run, even if their clients are gone. */
  const underWay = new Set<Promise<Response>>();
  let handle: Handler = answerStarting;
  const connections = trackConnections(server, (request, response) => handle(request, response));
  server.on("clientError", (error, socket) => {
    // The client sent more data after its last request, or data that is not HTTP. Pending answers go first.
    if (!connections.closeAfterWhole(socket)) refuseUnread(error, socket);
  });
  const check = setInterval(() => connections.closeUnread(answerMs), checkMs).unref();

  return {
    listen: ({ host, port }) =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
      }),
    serve(fetch) {
      const answer = toNodeHandler((request) => {
        const answer = fetch(request);
        if (answer instanceof Promise) {
          const forget = () => underWay.delete(answer);
          underWay.add(answer);
          answer.then(forget, forget);
        }
        return answer;
      }) as Handler;
      handle = (request, response) => answer(request, spelled(response));
    },
    async drain() {
      connections.closeAfterAnswers();
      await closeServer(server, connections, { graceMs, cutMs });
      clearInterval(check);
      await Promise.allSettled(underWay);
    },
  };
}

/** Names of headers that clients compare letter by letter. srvx sends all names in lower case. */
const SPELLINGS = new Map([
  ["total", "Total"],
  ["per-page", "Per-Page"],
  ["link", "Link"],
]);

/** Makes a response send such headers as the specification spells them. */
function spelled(response: ServerResponse): ServerResponse {
  const writeHead = response.writeHead.bind(response) as (
    status: number,
    ...rest: unknown[]
  ) => ServerResponse;
  response.writeHead = (status: number, ...rest: unknown[]) => {
    const headers = rest.at(-1);
    if (!Array.isArray(headers)) return writeHead(status, ...rest);
    const names = headers.map((text: string, at) => (at % 2 === 0 ? (SPELLINGS.get(text) ?? text) : text));
    return writeHead(status, ...rest.slice(0, -1), names);
  };
  return response;
}

/** Closes the port, and resolves when all connections are. */
async function closeServer(
  server: Server,
  connections: Connections,
  { graceMs, cutMs }: { graceMs: number; cutMs: number },
): Promise<void> {
  // The HTTP server's own `close` cuts idle connections immediately, although a client may just be sending.
  const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
  const began = performance.now();
  const sweep = setInterval(() => {
    // `setImmediate` runs after this turn's reads, so a connection whose request has just arrived is not idle.
    if (performance.now() - began >= graceMs) setImmediate(connections.closeIdle);
  }, SWEEP_MS);
  const cut = setTimeout(() => server.closeAllConnections(), cutMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}

/** The statuses for errors of Node's parser, by their codes. */
const PARSER_STATUS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/**
 * Answers data that is not HTTP or too large, and ends the connection. Node alone would close the socket immediately, so
 * that a client with long headers would be reset before it can read the reason.
 */
function refuseUnread(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const status = PARSER_STATUS[error.code ?? ""] ?? "400 Bad Request";
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  socket.removeAllListeners("data").resume();
  setTimeout(() => socket.destroy(), UNREAD_MS).unref();
}

/**
 * On the first start, the port opens before the account is made, because the account needs the server's address.
 */
function answerStarting(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(503, { "content-type": "application/json; charset=utf-8", "retry-after": "1" });
  response.end(JSON.stringify({ status: "starting" }));
}

/** How many requests a client may pipeline on one connection. */
const MAX_PIPELINED = 100;

/** Answers a request. */
type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** The open connections of a server. */
interface Connections {
  /** Closes each connection after its next answer. */
  closeAfterAnswers(): void;
  /** Closes the connections that have no request under way. */
  closeIdle(): void;
  /**
   * Closes a connection after all complete requests are answered. Returns false if the last request is incomplete.
   */
  closeAfterWhole(socket: Duplex): boolean;
  /**
   * Closes connections whose answer takes longer than this because the client hardly reads it. A streamed answer is
   * closed if nothing was read for this long.
   */
  closeUnread(answerMs: number): void;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

interface Connection {
  /** Oldest first. The first one is being answered. */
  exchanges: Exchange[];
  /** When the answer to the first one began, by `performance.now()`. */
  begunAt: number;
  /** Bytes written at the last check. */
  writtenBytes: number;
  /** Whether the connection accepts no more requests, and closes after the last answer. */
  isFull: boolean;
}

/**
 * Calls `handle` for the requests of each connection one by one. A client may pipeline many requests; answering them in
 * parallel would fill the memory with answers that it does not read.
 *
 * If a hundred requests wait, the connection is closed with the answer to the last of them (RFC 9112, 9.6), so that the
 * client knows which ones to send again.
 */
function trackConnections(server: Server, handle: Handler): Connections {
  const open = new Map<Socket, Connection>();
  let isClosing = false;

  server.on("connection", (socket) => {
    open.set(socket, { exchanges: [], begunAt: 0, writtenBytes: 0, isFull: false });
    socket.once("close", () => open.delete(socket));
  });

  server.on("request", (request, response) => {
    const connection = open.get(request.socket);
    if (connection === undefined || connection.isFull) return;
    const { exchanges } = connection;
    // While the server stops, the answer to the last request closes the connection.
    const before = exchanges.at(-1)?.response;
    if (isClosing && before && !before.headersSent) before.shouldKeepAlive = true;
    exchanges.push({ request, response });
    connection.isFull = exchanges.length === MAX_PIPELINED;
    if (isClosing || connection.isFull) response.shouldKeepAlive = false;
    response.once("finish", () => {
      cutUnread(request);
      exchanges.shift();
      if (response.shouldKeepAlive) begin(connection, handle);
      else connection.isFull = true;
    });
    if (exchanges.length === 1) begin(connection, handle);
  });

  return {
    closeAfterAnswers() {
      isClosing = true;
      for (const { exchanges } of open.values()) {
        const newest = exchanges.at(-1);
        if (newest) newest.response.shouldKeepAlive = false;
      }
    },
    closeIdle() {
      server.closeIdleConnections();
      // Node considers connections that have never sent anything busy.
      for (const socket of open.keys()) if (socket.bytesRead === 0) socket.destroy();
    },
    closeAfterWhole(socket) {
      const connection = open.get(socket as Socket);
      const newest = connection?.exchanges.at(-1);
      if (connection === undefined) return false;
      // The last answer is being sent and closes the connection.
      if (connection.isFull && newest?.response.headersSent !== false) return true;
      if (newest?.request.complete !== true) return false;
      connection.isFull = true;
      newest.response.shouldKeepAlive = false;
      return !newest.response.headersSent;
    },
    closeUnread(answerMs) {
      const now = performance.now();
      for (const [socket, connection] of open) {
        if (noteProgress(socket, connection)) connection.begunAt = now;
        else if (connection.exchanges.length > 0 && connection.begunAt < now - answerMs) socket.destroy();
      }
    },
  };
}

/** Answers the oldest request of a connection. */
function begin(connection: Connection, handle: Handler): void {
  const [exchange] = connection.exchanges;
  if (exchange === undefined) return;
  const { request, response } = exchange;
  connection.begunAt = performance.now();
  if (!isAmbiguous(request)) return void handle(request, response);
  connection.isFull = true;
  response.shouldKeepAlive = false;
  response.writeHead(400, { "content-length": 0 }).end();
}

/** Updates how much of an answer was written. Returns whether a streamed answer has progressed since the last check. */
function noteProgress(socket: Socket, connection: Connection): boolean {
  const [exchange] = connection.exchanges;
  if (exchange === undefined) return false;
  // A streamed download may take long, because only a part of it is in memory.
  const { headersSent, writableEnded } = exchange.response;
  const goesOn = headersSent && !writableEnded && socket.bytesWritten > connection.writtenBytes;
  connection.writtenBytes = socket.bytesWritten;
  return goesOn;
}

/**
 * Ends a connection whose request continues after its answer, because it is too large or endless. It waits a moment
 * first, because data that arrives at a closed port causes a reset, which discards the answer.
 */
function cutUnread(request: IncomingMessage): void {
  if (request.complete) return;
  setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, UNREAD_MS).unref();
}

/**
 * Whether a proxy may have parsed a request differently, so that a request could be smuggled inside another. This concerns
 * several `Host` headers (RFC 9112, 3.2), of which Node keeps the first, and transfer encodings other than chunked (6.1),
 * which Node ignores.
 */
function isAmbiguous({ headers, rawHeaders }: IncomingMessage): boolean {
  const encoding = headers["transfer-encoding"];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "chunked") return true;
  let hostCount = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === "host".length && name.toLowerCase() === "host") hostCount++;
  }
  return hostCount > 1;
}
