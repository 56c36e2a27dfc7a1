import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { H3, toNodeHandler, type H3Event } from "h3";

/** How a request can reach the reader. */
export const WAYS = ["in process", "over a socket"] as const;

/** A request, in process by default. */
export interface TestRequest extends RequestInit {
  path?: string;
  way?: (typeof WAYS)[number];
}

/** The result of a reader for a request. A refusal is thrown unchanged. */
export async function readWith<T>(
  read: (event: H3Event) => T | Promise<T>,
  { path = "/", way = "in process", ...init }: TestRequest,
): Promise<T> {
  const outcomes: Promise<T>[] = [];
  const app = new H3().all("/**", async (event) => {
    const outcome = (async () => read(event))();
    outcomes.push(outcome);
    await Promise.allSettled([outcome]);
    return "";
  });
  if (way === "in process") await app.request(path, init);
  else await requestOverSocket(app, path, init);
  const [outcome] = outcomes;
  if (outcome === undefined) throw new Error("The request did not arrive");
  return outcome;
}

async function requestOverSocket(app: H3, path: string, init: RequestInit): Promise<void> {
  const server = createServer(toNodeHandler(app));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, init);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
