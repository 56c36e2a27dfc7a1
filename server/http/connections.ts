import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { isAmbiguous } from "./framing.ts";

/** Requests that a client may send on one connection before it has read the answer to the first of them. */
const MAX_PIPELINED = 100;
/** How long a body that nobody reads may go on after its answer, so that its sender gets to read that. */
const UNREAD_MS = 1_000;

/** Answers a request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** The open connections of a server. */
export interface Connections {
  /** Makes each connection's next answer its last. */
  closeAfterAnswers(): void;
  /** Closes those on which nothing is under way. */
  closeIdle(): void;
  /** Closes one after what it has asked so far is answered. false: what it asked last has not arrived as a whole. */
  closeAfterWhole(socket: Duplex): boolean;
  /** Closes those whose answer takes longer than this, because their clients hardly read it. */
  closeUnread(answerMs: number): void;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

interface Connection {
  /** Oldest first; the first one is being answered. */
  exchanges: Exchange[];
  /** When the first one came to its turn, by `performance.now()`. */
  begunAt: number;
  /** Whether no further request is taken: the last one that was taken closes the connection. */
  isFull: boolean;
}

/**
 * Gives `handle` the requests of each connection one after the other. A client may send many without
 * waiting for answers; answered all at once, they would fill the memory with answers that it does not read.
 *
 * Choice: after a hundred that wait, the connection is closed with the answer to the last of them
 * (RFC 9112, 9.6), so that the client knows which ones to send again.
 */
export function trackConnections(server: Server, handle: Handler): Connections {
  const open = new Map<Socket, Connection>();
  let isClosing = false;

  server.on("connection", (socket) => {
    open.set(socket, { exchanges: [], begunAt: 0, isFull: false });
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
      if (response.shouldKeepAlive) begin(connection);
      else connection.isFull = true;
    });
    if (exchanges.length === 1) begin(connection);
  });

  function begin(connection: Connection): void {
    const [exchange] = connection.exchanges;
    if (exchange === undefined) return;
    const { request, response } = exchange;
    connection.begunAt = performance.now();
    if (!isAmbiguous(request)) return void handle(request, response);
    connection.isFull = true;
    response.shouldKeepAlive = false;
    response.writeHead(400, { "content-length": 0 }).end();
  }

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
      // Node counts those that have never sent anything as busy.
      for (const socket of open.keys()) if (socket.bytesRead === 0) socket.destroy();
    },
    closeAfterWhole(socket) {
      const connection = open.get(socket as Socket);
      const newest = connection?.exchanges.at(-1);
      if (connection === undefined) return false;
      // The last answer is on its way, and closes it.
      if (connection.isFull && newest?.response.headersSent !== false) return true;
      if (newest?.request.complete !== true) return false;
      connection.isFull = true;
      newest.response.shouldKeepAlive = false;
      return !newest.response.headersSent;
    },
    closeUnread(answerMs) {
      const earliest = performance.now() - answerMs;
      for (const [socket, { exchanges, begunAt }] of open) {
        if (exchanges.length > 0 && begunAt < earliest) socket.destroy();
      }
    },
  };
}

/**
 * Ends a connection whose request goes on after its answer, as one that is too large or endless. At once
 * would be too soon: what is on its way meets a closed port, whose reset wipes out the answer.
 */
function cutUnread(request: IncomingMessage): void {
  if (request.complete) return;
  setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, UNREAD_MS).unref();
}
