import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A stand-in of a provider's API on loopback. */
export interface ProviderApi {
  url: string;
  /** The requests, with their queries. */
  asked: string[];
  close(): Promise<void>;
}

/** Answers each path with the result of its function, called with the query. Other paths are 404. */
export async function startProviderApi(
  answers: Record<string, (query: URLSearchParams) => unknown>,
): Promise<ProviderApi> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    asked.push(`${request.method} ${request.url}`);
    const answer = answers[pathname];
    response.writeHead(answer ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ? answer(searchParams) : { error: { message: `No ${pathname}` } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
