import { createServer, request as send, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Site } from "./browser.ts";
import { selfSigned } from "./certificate.ts";

/** One port for a site's pages and for Tidemark behind it, like a reverse proxy. It records all requests. */
export interface Front {
  port: number;
  /** The requests of browsers, oldest first, as `GET /?via=jane`, without those for icons and the script's second file. */
  requests: string[];
  /** The forms that were posted, oldest first. */
  forms: Record<string, string>[];
  /** Holds up requests of a path from now on. Returns a function that releases them. */
  hold(path: string): () => void;
  close(): void;
}

/** What is behind a front. */
export interface Behind {
  site: Site;
  /** The port of Tidemark, which answers everything that the site does not have. */
  port: number;
  isSecure?: boolean;
}

/** Starts a front, with a self-signed certificate if it is secure. */
export async function startFront({ site, port, isSecure = false }: Behind): Promise<Front> {
  const requests: string[] = [];
  const forms: Record<string, string>[] = [];
  const held = new Map<string, Promise<void>>();
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url = "" } = request;
    const { pathname } = new URL(url, "http://x");
    if (pathname === "/favicon.ico") return response.writeHead(404).end();
    const body = await buffer(request);
    if (!pathname.startsWith("/svc-more.")) requests.push(`${method} ${url}`);
    if (method === "POST") forms.push(Object.fromEntries(new URLSearchParams(body.toString())));
    await held.get(pathname);
    const page = site[pathname];
    if (page === undefined) return pass({ request, body, port }, response);
    const { html, status = 200, headers } = page;
    return response.writeHead(status, { "content-type": "text/html", ...headers }).end(html);
  };
  const listener = (request: IncomingMessage, response: ServerResponse) => void handle(request, response);
  const server = isSecure ? createSecureServer(selfSigned(), listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    forms,
    hold: (path) => {
      let release = () => {};
      held.set(path, new Promise((resolve) => (release = resolve)));
      return release;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Passes a request on unchanged, including its host. */
function pass(
  { request, body, port }: { request: IncomingMessage; body: Buffer; port: number },
  response: ServerResponse,
): void {
  const { method, url, headers } = request;
  const onward = send({ host: "127.0.0.1", port, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(response);
  });
  onward.on("error", () => response.destroy());
  onward.end(body);
}
