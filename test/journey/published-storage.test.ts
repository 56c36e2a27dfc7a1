import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runCli } from "../support/cli.ts";
import { freePort } from "../support/free-port.ts";
import { startCluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { ACCOUNT, KEY, startServer, temporaryFolder, type Server } from "../support/server.ts";

/** A program of another company, which has installed our package. */
const APP: [string, ...string[]] = [process.execPath, "test/support/storage-app.mjs"];

let folder: string;
let remove: () => void;
let running: Server[];
beforeEach(() => {
  const made = temporaryFolder();
  [folder, remove] = [join(made.folder, "data"), made.remove];
  running = [];
});
afterEach(async () => {
  for (const each of running) await each.stop();
  remove();
});

/** The server makes its key beside the store, where the package looks for it. */
const OWN_KEY = { TIDEMARK_SECRET: "" };

async function start(environment = {}, how = {}): Promise<Server> {
  const server = await startServer(folder, { ...OWN_KEY, ...environment }, how);
  running.push(server);
  return server;
}

const startApp = (environment = {}) => start(environment, { command: APP });
const check = () => runCli(folder, ["check"], OWN_KEY);

async function ask<T = Record<string, unknown>>(
  url: string,
  { body, ...given }: { method?: string; body?: object } = {},
): Promise<T> {
  const headers = {
    authorization: `Bearer ${KEY}`,
    "account-id": ACCOUNT,
    "content-type": "application/json",
  };
  const answer = await fetch(url, { headers, ...given, ...(body && { body: JSON.stringify(body) }) });
  return (await answer.json()) as T;
}

it("an h3 app reads and writes the records of a server beside it, by the package alone", async () => {
  const [server, app] = [await start(), await startApp()];
  const v2 = `${server.url}/api/v2/company`;
  const invite = (email: string) =>
    ask<{ id: number }>(`${v2}/promoters`, { body: { email, ref_id: "jane" }, method: "POST" });
  const [{ id }, other] = [await invite("jane@example.com"), await invite("ann@example.com")];
  const item = `${app.url}/items/promoters:1:${id}`;
  const patch = (body: object, url = item) => ask(url, { method: "PATCH", body });

  expect(await ask(item)).toMatchObject({ account_id: 1, id, email: "jane@example.com", note: null });
  expect(await ask(`${app.url}/keys/promoters:1`)).toEqual([`promoters:1:${id}`, `promoters:1:${other.id}`]);
  expect(await ask(`${app.url}/items/promoters:1:999`)).toMatchObject({ status: 404 });

  expect(await patch({ note: "Called", email: "Joan@example.com" })).toMatchObject({ note: "Called" });
  expect(await ask(`${v2}/promoters/joan@example.com?find_by=email`)).toMatchObject({ id, note: "Called" });
  expect(await patch({ email: "ANN@example.com" })).toMatchObject({
    status: 422,
    message: "email has already been taken",
  });
  expect(await patch({ nickname: "J" })).toMatchObject({
    status: 422,
    message: "The record does not fit promoters: nickname is not a field",
  });
  expect(await patch({ note: 5 })).toMatchObject({
    status: 422,
    message: "The record does not fit promoters: note must be a text or null",
  });
  expect(await ask(`${v2}/promoters/${id}`)).toMatchObject({ email: "Joan@example.com", note: "Called" });
  const [entry] = await ask<object[]>(`${v2}/audit_log`);
  expect(entry).toMatchObject({
    actor: { kind: "command_line" },
    entity_id: String(id),
    before: { email: "jane@example.com", note: null },
    after: { email: "Joan@example.com", note: "Called" },
  });

  const method = { method: "paypal", promoter_id: id, details: { wallet_email: "jane@wallet.example" } };
  const made = await ask<{ id: number }>(`${v2}/payout_methods`, { method: "POST", body: method });
  const payoutMethod = `${app.url}/items/payout_methods:1:${made.id}`;
  expect(await ask(payoutMethod)).toMatchObject({ details: { wallet_email: "jane@wallet.example" } });
  expect(await patch({ sealed: "junk" }, payoutMethod)).toMatchObject({
    status: 422,
    message: "The record does not fit payout_methods: sealed is not a field",
  });

  expect(await check()).toMatchObject({ code: 0 });
  // The stop of the app closes the store, and leaves the server's open.
  expect(await app.stop()).toBe(0);
  expect(await ask(`${v2}/promoters/${id}`)).toMatchObject({ id });
});

it("the guide's example runs as it is printed", async () => {
  const server = await start();
  const v2 = `${server.url}/api/v2/company/promoters`;
  const { id } = await ask<{ id: number }>(v2, { method: "POST", body: { email: "jane@example.com" } });
  await ask(`${v2}/${id}`, { method: "PUT", body: { note: "Call her" } });
  const port = await freePort();
  const [, example = ""] =
    /```js\n([^`]*tidemark\/storage[^]*?)```/.exec(readFileSync("docs/developers.md", "utf8")) ?? [];
  const code = example.replace('"sqlite:./data"', "process.env.STORAGE_URL").replace("4000", String(port));
  const said = `await server.ready(); console.log("listens on http://127.0.0.1:${port}")`;
  const app = await start({}, { command: [process.execPath, "--input-type=module", "-e", code + said] });
  expect(await ask(`${app.url}/promoters/${id}/note`)).toEqual({ note: "Call her" });
  expect(await app.stop()).toBe(0);
});

it("sums follow what an h3 app writes and removes", async () => {
  const [server, app] = [await start(), await startApp()];
  const v2 = `${server.url}/api/v2/company`;
  await ask(`${v2}/promoters`, { method: "POST", body: { email: "jane@example.com" } });
  for (const email of ["a@example.com", "b@example.com"]) {
    const body = new URLSearchParams({ email, promoter_email: "jane@example.com" });
    const signup = { method: "POST", headers: { "x-api-key": KEY }, body };
    expect((await fetch(`${server.url}/api/v1/track/signup`, signup)).status).toBe(200);
  }
  const [moved = "", removed = ""] = await ask<string[]>(`${app.url}/keys/leads:1`);
  const created_at = "2026-01-02T03:04:05.678Z";
  expect(await ask(`${app.url}/items/${moved}`, { method: "PATCH", body: { created_at } })).toMatchObject({
    created_at,
  });
  await fetch(`${app.url}/items/${removed}`, { method: "DELETE" });
  const report = await ask<object[]>(
    `${v2}/reports/overview?columns[]=referrals_count&group_by=day&start_date=2026-01-01&end_date=2026-01-03`,
  );
  expect(JSON.stringify(report)).toContain('"referrals_count":1');
  expect(await check()).toMatchObject({ code: 0 });
});

it.skipIf(POSTGRES_FOLDER === null)("an h3 app does the same on Postgres, with the key's file", async () => {
  const cluster = await startCluster();
  const key = join(folder, "..", "store.key");
  const settings = { ...OWN_KEY, STORAGE_URL: cluster.url(), TIDEMARK_SECRET_FILE: key };
  const [server, app] = [await start(settings), await startApp({ ...settings, SECRET_FILE: key })];
  const v2 = `${server.url}/api/v2/company/promoters`;
  const { id } = await ask<{ id: number }>(v2, { method: "POST", body: { email: "jane@example.com" } });
  const item = `${app.url}/items/promoters:1:${id}`;
  expect(await ask(item, { method: "PATCH", body: { note: "Called" } })).toMatchObject({
    id,
    note: "Called",
  });
  expect(await ask(`${v2}/${id}`)).toMatchObject({ email: "jane@example.com", note: "Called" });
  expect(await runCli(folder, ["check"], settings)).toMatchObject({ code: 0 });
  expect([await app.stop(), await server.stop()]).toEqual([0, 0]);
  await cluster.remove();
});

it("a folder without a store, a store without its key, and one of another release are refused in one sentence", async () => {
  await expect(startApp()).rejects.toThrow(/The store of STORAGE_URL can't be opened: .*there is no store/i);
  await (await start()).stop();
  await expect(startApp({ SECRET_FILE: join(folder, "other.key") })).rejects.toThrow(
    "the key of its secrets is missing",
  );
  const database = new DatabaseSync(join(folder, "tidemark.db"));
  database.exec(`update items set value = '{"version":99}' where key = 'tidemark:mark'`);
  database.close();
  await expect(startApp()).rejects.toThrow("A later release of Tidemark made the store");
});
