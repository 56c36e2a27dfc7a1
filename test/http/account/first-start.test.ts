import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemChance, type Context } from "../../../server/domain/context.ts";
import { firstStart, type FirstStart } from "../../../server/process/first-start.ts";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { PASSWORD, callWith } from "../../support/users.ts";
import { temporaryStore } from "../../support/temporary-store.ts";

const START: FirstStart = {
  public_url: "https://track.acme.example",
  account_id: "acme",
  apiKey: "key-of-acme",
  keyFile: null,
  hasDemo: true,
  owner: null,
};

let context: Context;
let app: TestApp;
beforeEach(async () => {
  const { store } = await temporaryStore("memory");
  context = { store, now: new Date(NOW), chance: systemChance };
});
afterEach(() => app.close());

/** Starts a server on the empty store. */
async function start(over: Partial<FirstStart> = {}): Promise<string> {
  const news = await firstStart(context, { ...START, ...over });
  app = await startApp("memory", { store: context.store, isFilled: true });
  return news ?? "";
}

const post = (path: string, body: unknown) => callWith(app, null)(`POST ${path}`, body);
const owner = { email: "alex@acme.example", password: PASSWORD };
const account = {
  id: "acme",
  name: "track.acme.example",
  shown_name: "track.acme.example",
  currency: "USD",
  time_zone: "UTC",
};

describe("the first start", () => {
  it("prints a link that makes the owner, once", async () => {
    const news = await start();
    const [, token] =
      /Dashboard {4}https:\/\/track\.acme\.example\/admin\/welcome#([\w-]{43}) /.exec(news) ?? [];
    const check = await post("/session/link/check", { token });
    expect([check.status, check.body]).toEqual([200, { kind: "owner", email: null }]);
    const made = await post("/session/link", { token, ...owner, name: "Alex" });
    expect([made.status, made.body]).toEqual([
      201,
      {
        user: { id: 2, email: "alex@acme.example", name: "Alex", role: "owner", has_second_factor: false },
        account,
      },
    ]);
    expect((await post("/session/link", { token, ...owner, email: "eve@evil.example" })).status).toBe(404);
    expect((await post("/session", owner)).status).toBe(201);
    expect(await firstStart(context, START)).toBeNull();
  });

  it("writes the link to a file beside the key, and prints neither", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tidemark-"));
    const keyFile = join(folder, "first-key");
    const linkFile = `${keyFile}.owner-link`;
    const news = await start({ apiKey: null, keyFile });
    expect(news).toContain(`API key      in ${keyFile}\n`);
    expect(news).toContain(
      `Dashboard    by the link in ${linkFile}   (makes the owner; good once, for a day)\n`,
    );
    expect(news).not.toMatch(/tdm_|welcome/);
    expect(statSync(linkFile).mode & 0o777).toBe(0o600);
    const [, token] =
      /^https:\/\/track\.acme\.example\/admin\/welcome#([\w-]{43})\n$/.exec(readFileSync(linkFile, "utf8")) ??
      [];
    expect((await post("/session/link/check", { token })).body).toEqual({ kind: "owner", email: null });
    rmSync(folder, { recursive: true });
  });

  it("makes the owner of the settings and prints no link", async () => {
    const news = await start({ owner });
    expect(news).toContain("Dashboard    https://track.acme.example/admin   (sign in as alex@acme.example)");
    expect(news).not.toContain(PASSWORD);
    const signedIn = await post("/session", owner);
    expect([signedIn.status, signedIn.body]).toEqual([
      201,
      {
        user: {
          id: 1,
          email: "alex@acme.example",
          name: "alex@acme.example",
          role: "owner",
          has_second_factor: false,
        },
        account,
      },
    ]);
  });

  it("names the account after the host, until someone names the company", async () => {
    await start();
    const isNamed = async () => {
      const { body } = await app.v2("GET", "/setup");
      return (body as { steps: { name: boolean } }).steps.name;
    };
    expect((await app.v2("GET", "/brand")).body).toMatchObject({ shown: { name: "track.acme.example" } });
    expect(await isNamed()).toBe(false);
    // The page of the account's settings sends the name with everything else.
    await app.v2("PUT", "/account", { name: "track.acme.example", net_payout_days: 14 });
    expect(await isNamed()).toBe(false);
    await app.v2("PUT", "/brand", { name: "Acme Partners" });
    expect(await isNamed()).toBe(true);
    await app.v2("PUT", "/brand", { name: null });
    expect(await isNamed()).toBe(false);
    await app.v2("PUT", "/account", { name: "Acme" });
    expect(await isNamed()).toBe(true);
  });
});
