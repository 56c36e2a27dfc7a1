import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A posting that the receiver got. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  body: Record<string, unknown>;
}

/** A receiver of webhooks on loopback. */
export interface Receiver {
  url: string;
  received: Received[];
  /** The postings that have no answer yet. */
  openCount(): number;
  /** The most postings that were open at the same time. */
  mostAtOnce(): number;
  /** How to answer each posting from now on. Default: 200. */
  answer(how: (response: ServerResponse, posting: Received) => void): void;
  /** Resolves when this many postings have arrived. */
  has(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts a receiver. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  let how: Parameters<Receiver["answer"]>[0] = (response) => response.end("thanks");
  let open = 0;
  let most = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    open += 1;
    most = Math.max(most, open);
    response.once("close", () => void (open -= 1));
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const { headers, url: path = "" } = request;
      const posting = { path, headers, text, body: JSON.parse(text) as Record<string, unknown> };
      received.push(posting);
      for (const each of waiting) if (received.length >= each.count) each.resolve();
      how(response, posting);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    openCount: () => open,
    mostAtOnce: () => most,
    answer: (given) => void (how = given),
    has: (count) =>
      new Promise((resolve) => {
        if (received.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
