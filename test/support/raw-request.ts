import { createServer, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "h3";
import { KEY, type TestApp } from "./app.ts";

/** A request that fetch can't send: a GET with a body, or an unnormalised path. */
export interface RawRequest {
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends a request with the account's key over a socket. Returns status and JSON body. */
export async function sendRaw(
  { app }: TestApp,
  { path, method = "GET", headers = {}, body = "" }: RawRequest,
): Promise<{ status: number | undefined; body: unknown }> {
  const server = createServer(toNodeHandler(app));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const length = { "content-length": String(Buffer.byteLength(body)) };
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request({ port, path, method, headers: { "x-api-key": KEY, ...length, ...headers } });
      sent.on("response", resolve);
      sent.on("error", reject);
      sent.end(body);
    });
    const chunks: Buffer[] = await response.toArray();
    return { status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) as unknown };
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
