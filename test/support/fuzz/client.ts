import { Agent, request, type IncomingHttpHeaders } from "node:http";
import type { WrittenCall } from "./call.ts";

/** The answer to a request. */
export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A client that keeps its connections. */
export interface Client {
  /** @throws Error if no whole answer came */
  send(call: WrittenCall): Promise<Reply>;
  close(): void;
}

const PATIENCE_MS = 60_000;

/** Makes a client for a server on this machine. */
export function newClient(port: number): Client {
  const agent = new Agent({ keepAlive: true });

  function send(call: WrittenCall): Promise<Reply> {
    const { method, target, headers, body } = call;
    return new Promise((resolve, reject) => {
      // Node announces no body by itself for methods that usually have none.
      const length = body === null ? {} : { "content-length": String(Buffer.byteLength(body)) };
      const path = target.replaceAll(/[^\u0021-\u007e]/g, encodeURIComponent);
      const asked = request({
        host: "127.0.0.1",
        port,
        method,
        path,
        headers: { ...headers, ...length },
        agent,
        timeout: PATIENCE_MS,
      });
      asked.on("timeout", () => asked.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)));
      asked.on("error", (error: NodeJS.ErrnoException) => {
        // A server may end an idle connection at the moment when a request is sent on it.
        if (asked.reusedSocket && error.code === "ECONNRESET") resolve(send(call));
        else reject(error);
      });
      asked.on("response", (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        );
      });
      asked.end(body ?? undefined);
    });
  }

  return {
    send,

    close: () => agent.destroy(),
  };
}
