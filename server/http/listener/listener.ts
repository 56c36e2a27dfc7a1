import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Server as NetServer, type AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { ServerRequest } from "srvx";
import { toNodeHandler } from "srvx/node";
import { trackConnections, type Connections, type Handler } from "./connections.ts";

/**
 * How long a client may take to send all headers, and to send a whole request. A slower one only holds a
 * connection.
 */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/**
 * Longest time for a request and its answer together. A client that reads more slowly keeps the answer in our
 * memory.
 */
const ANSWER_TIMEOUT_MS = 60_000;
/** How often Node looks for slow clients. Its default of 30 s would give them several times the limit. */
const CHECK_MS = 2_000;
/** Longer than the minute that proxies usually wait, so that they never send into a closing connection. */
const KEEP_ALIVE_MS = 65_000;
/** How long a client may continue to send after a refusal, so that it can read the refusal. */
const UNREAD_MS = 1_000;
/** How long a drain leaves a kept-alive connection open for one more request, whose answer closes it. */
const GRACE_MS = 500;
const SWEEP_MS = 100;
/** The longest wait for running requests. The whole stop may take 10 s. */
const CUT_MS = 8_000;

/** A port that answers from the moment it opens until every request it accepted is answered. */
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
    // The client sent more after its last request, or something other than HTTP. Answers that are due go
    // first.
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
      handle = toNodeHandler((request) => {
        const answer = fetch(request);
        if (answer instanceof Promise) {
          const forget = () => underWay.delete(answer);
          underWay.add(answer);
          answer.then(forget, forget);
        }
        return answer;
      }) as Handler;
    },
    async drain() {
      connections.closeAfterAnswers();
      await closeServer(server, connections, { graceMs, cutMs });
      clearInterval(check);
      await Promise.allSettled(underWay);
    },
  };
}

/** Closes the port, and resolves when all connections are. */
async function closeServer(
  server: Server,
  connections: Connections,
  { graceMs, cutMs }: { graceMs: number; cutMs: number },
): Promise<void> {
  // The HTTP server's own `close` cuts idle connections at once, while a client may just be sending on one.
  const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
  const began = performance.now();
  const sweep = setInterval(() => {
    // `setImmediate` runs after this turn's reads, so a connection whose request has just arrived is not
    // idle.
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
 * Answers data that is not HTTP, or is too large, and ends the connection. Node alone would close the socket
 * at once, so that a client with long headers would be reset before it has read the reason.
 */
function refuseUnread(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const status = PARSER_STATUS[error.code ?? ""] ?? "400 Bad Request";
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  socket.removeAllListeners("data").resume();
  setTimeout(() => socket.destroy(), UNREAD_MS).unref();
}

/**
 * The first start makes the account after the port is open, because the account needs the server's address.
 */
function answerStarting(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(503, { "content-type": "application/json; charset=utf-8", "retry-after": "1" });
  response.end(JSON.stringify({ status: "starting" }));
}
