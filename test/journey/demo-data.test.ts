import { afterEach, beforeEach, expect, it } from "vitest";
import { startServer, temporaryFolder, v1, type Server } from "../support/server.ts";

const DEMO = [process.execPath, "dist/server/main.js", "--demo"] as [string, ...string[]];
const OWNER = { TIDEMARK_OWNER_EMAIL: "alex@acme.example", TIDEMARK_OWNER_PASSWORD: "correct horse battery" };

let folder: string;
let remove: () => void;
let servers: Server[];
beforeEach(() => {
  ({ folder, remove } = temporaryFolder());
  servers = [];
});
afterEach(async () => {
  await Promise.all(servers.map((server) => server.kill()));
  remove();
});

async function start(environment: Record<string, string> = {}, command?: [string, ...string[]]) {
  const server = await startServer(folder, environment, command && { command });
  servers.push(server);
  return server;
}

it("--demo fills an empty store, opens it to the owner, and keeps what is there at later starts", async () => {
  const first = await start({ ...OWNER, WORKERS: "2" }, DEMO);
  expect(first.output()).toContain(
    `  Dashboard    ${first.url}/admin   (sign in as alex@acme.example)
  Demo data    60 promoters, 1,500 leads and a year of sales

Tidemark listens on ${first.url}
`,
  );
  const signedIn = await fetch(`${first.url}/api/v2/company/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: first.url },
    body: JSON.stringify({ email: OWNER.TIDEMARK_OWNER_EMAIL, password: OWNER.TIDEMARK_OWNER_PASSWORD }),
  });
  expect(signedIn.status).toBe(201);
  expect(await signedIn.json()).toMatchObject({ account: { name: "Acme" } });
  const listed = await fetch(`${first.url}/api/v2/company/promoters`, {
    headers: { cookie: signedIn.headers.getSetCookie()[0]!.split(";")[0]! },
  });
  // The list leaves out the two archived promoters.
  expect([listed.status, listed.headers.get("total")]).toEqual([200, "58"]);
  await first.stop();
  const second = await start({ DEMO_DATA: "1" });
  expect(second.output()).toBe(`
  Dashboard    ${second.url}/admin
  Demo data    60 promoters, 1,500 leads and a year of sales

Tidemark listens on ${second.url}
`);
});

it("--demo is refused by a store that holds people", async () => {
  const first = await start();
  await v1(first, "/promoters/create", { email: "jane@example.com" });
  await first.stop();
  await expect(start({}, DEMO)).rejects.toThrow(
    "The server ended with 1: Tidemark can't start: Demo data can only fill an empty store, and the store of STORAGE_URL has more than its first account\n",
  );
});
