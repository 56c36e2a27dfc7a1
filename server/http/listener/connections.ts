import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** How many requests a client may send on one connection before it has read the first answer. */
const MAX_PIPELINED = 100;
/** How long a client may continue to send its body after the answer, so that it can read the answer. */
const UNREAD_MS = 1_000;

/** Answers a request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** The open connections of a server. */
export interface Connections {
  /** Makes the next answer of each connection its last. */
  closeAfterAnswers(): void;
  /** Closes the connections that have no request under way. */
  closeIdle(): void;
  /**
   * Closes a connection after all complete requests are answered. false: the last request has not arrived
   * completely.
   */
  closeAfterWhole(socket: Duplex): boolean;
  /**
   * Closes connections whose answer takes longer than this, because the client hardly reads it. A streamed answer is
   * closed if nothing of it was read for as long.
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
  /** When the first one's turn began, by `performance.now()`. */
  begunAt: number;
  /** How much had been written when somebody last looked, in bytes. */
  writtenBytes: number;
  /** Whether the connection takes no further request. The answer to the last one closes it. */
  isFull: boolean;
}

/**
 * Gives `handle` the requests of each connection one after the other. A client may send many without waiting
 * for answers; answering all at once would fill the memory with answers that it does not read.
 *
 * Choice: once a hundred requests wait, the connection is closed with the answer to the last of them (RFC
 * 9112, 9.6), so that the client knows which ones to send again.
 */
export function trackConnections(server: Server, handle: Handler): Connections {
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
    // While the server stops, the last of several requests closes the connection.
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
      // Node counts connections that have never sent anything as busy.
      for (const socket of open.keys()) if (socket.bytesRead === 0) socket.destroy();
    },
    closeAfterWhole(socket) {
      const connection = open.get(socket as Socket);
      const newest = connection?.exchanges.at(-1);
      if (connection === undefined) return false;
      // The last answer is on its way and closes the connection.
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

/** Notes how much of an answer was written. Returns whether a streamed one has gone on since the last time. */
function noteProgress(socket: Socket, connection: Connection): boolean {
  const [exchange] = connection.exchanges;
  if (exchange === undefined) return false;
  // A download that is made as it is read may take long: only a part of it is in memory.
  const { headersSent, writableEnded } = exchange.response;
  const goesOn = headersSent && !writableEnded && socket.bytesWritten > connection.writtenBytes;
  connection.writtenBytes = socket.bytesWritten;
  return goesOn;
}

/**
 * Ends a connection whose request goes on after its answer, because it is too large or endless. It waits a
 * moment first: data that arrives at a closed port causes a reset, which wipes out the answer.
 */
function cutUnread(request: IncomingMessage): void {
  if (request.complete) return;
  setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, UNREAD_MS).unref();
}

/**
 * Whether a proxy in front may have read a request differently from us, so that one request could be smuggled
 * inside another. This concerns several `Host` headers (RFC 9112, 3.2), of which Node keeps the first, and
 * bodies with an encoding other than chunked (6.1), which Node ignores.
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
