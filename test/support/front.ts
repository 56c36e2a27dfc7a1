import { createServer, request as send, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Site } from "./browser.ts";
import { selfSigned } from "./certificate.ts";

/** One port for a site's pages and for Tidemark behind it, as a reverse proxy has it; it sees all requests. */
export interface Front {
  port: number;
  /** What browsers asked for, oldest first, as `GET /?via=jane`; without the icons that they look for unasked. */
  requests: string[];
  /** The forms that were posted, oldest first. */
  forms: Record<string, string>[];
  /** Lets requests of a path wait from now on; gives what lets them go. */
  hold(path: string): () => void;
  close(): void;
}

/** What a front stands before. */
export interface Behind {
  site: Site;
  /** Where Tidemark listens; it answers what the site does not have. */
  port: number;
  isSecure?: boolean;
}

/** Starts a front, with a certificate of its own making if it is to be secure. */
export async function startFront({ site, port, isSecure = false }: Behind): Promise<Front> {
  const requests: string[] = [];
  const forms: Record<string, string>[] = [];
  const held = new Map<string, Promise<void>>();
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url = "" } = request;
    const { pathname } = new URL(url, "http://x");
    if (pathname === "/favicon.ico") return response.writeHead(404).end();
    const body = await buffer(request);
    requests.push(`${method} ${url}`);
    if (method === "POST") forms.push(Object.fromEntries(new URLSearchParams(body.toString())));
    await held.get(pathname);
    const page = site[pathname];
    if (page === undefined) return pass({ request, body, port }, response);
    return response.writeHead(200, { "content-type": "text/html", ...page.headers }).end(page.html);
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

/** Hands a request on as it came, host and all. */
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
