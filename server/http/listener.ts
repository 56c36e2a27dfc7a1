import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Server as NetServer, type AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { ServerRequest } from "srvx";
import { toNodeHandler } from "srvx/node";
import { trackConnections, type Connections, type Handler } from "./connections.ts";

/** Whoever sends more slowly than this holds a connection for nothing: all headers, and all of a request. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Longest time for a request and its answer together. Whoever reads more slowly holds the answer in our memory. */
const ANSWER_TIMEOUT_MS = 60_000;
/** How often Node looks who is too slow. Its own half a minute would treble what is granted. */
const CHECK_MS = 2_000;
/** Longer than the usual minute of proxies, so that they never send into a closing connection. */
const KEEP_ALIVE_MS = 65_000;
/** How long a sender may go on after it was refused, so that it gets to read that. */
const UNREAD_MS = 1_000;
/** How long a drain waits for the next request of a kept-alive connection, to close it with the answer. */
const GRACE_MS = 500;
const SWEEP_MS = 100;
/** Longest wait for requests under way; the whole stop is promised within 10 s. */
const CUT_MS = 8_000;

/** A port that answers from the moment it is open, until all that it took is answered. */
export interface Listener {
  /** Opens the port and gives its number. Until `serve`, every answer is 503. */
  listen(at: { host: string; port: number }): Promise<number>;
  /** Answers by `fetch` from now on. */
  serve(fetch: (request: ServerRequest) => Response | Promise<Response>): void;
  /** Takes no more connections, ends those that are open, and resolves when no request is under way. */
  drain(): Promise<void>;
}

/** Makes a listener; tests give shorter times. */
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
  /** What handlers still work at, even for clients that are gone. */
  const underWay = new Set<Promise<Response>>();
  let handle: Handler = answerStarting;
  const connections = trackConnections(server, (request, response) => handle(request, response));
  server.on("clientError", (error, socket) => {
    // What follows a request that said it was the last, or is no HTTP, must not overtake answers that are due.
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
  // Not the HTTP server's own `close`: it cuts idle connections at once, into which a client may just be sending.
  const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
  const began = performance.now();
  const sweep = setInterval(() => {
    // After this turn's reads: a request that has arrived is no idle connection.
    if (performance.now() - began >= graceMs) setImmediate(connections.closeIdle);
  }, SWEEP_MS);
  const cut = setTimeout(() => server.closeAllConnections(), cutMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}

/** What Node's parser stumbled over, by its code. */
const PARSER_STATUS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/**
 * Answers what is no HTTP, or too much of it, and ends the connection. What Node does by itself closes
 * the socket at once, so that senders of long headers are reset before they have read why.
 */
function refuseUnread(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const status = PARSER_STATUS[error.code ?? ""] ?? "400 Bad Request";
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  socket.removeAllListeners("data").resume();
  setTimeout(() => socket.destroy(), UNREAD_MS).unref();
}

/** A first start makes the account only when its address is known, which the open port decides. */
function answerStarting(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(503, { "content-type": "application/json; charset=utf-8", "retry-after": "1" });
  response.end(JSON.stringify({ status: "starting" }));
}
