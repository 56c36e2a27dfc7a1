import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startApp } from "../support/app.ts";
import { findFaults, inStore } from "../support/consistency.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { storeAt } from "../support/records.ts";
import { temporaryFolder } from "../support/server.ts";

let cluster: Cluster | null = null;
beforeAll(async () => {
  if (POSTGRES_FOLDER !== null) cluster = await startCluster();
});
afterAll(() => cluster?.remove());

describe.each([
  ["a NUL", "nul\0"],
  ["half a surrogate pair", "half\ud800"],
  // Random, because Postgres compresses what repeats.
  ["a thousand characters", randomCharacters(1_000)],
])("%s in every text", (_, text) => {
  it("is taken and found again on SQLite", async () => {
    const { folder, remove } = temporaryFolder();
    await goThrough(`sqlite:${folder}`);
    remove();
  });

  it.skipIf(POSTGRES_FOLDER === null)("is taken and found again on Postgres", async () => {
    await cluster!.query("drop schema public cascade");
    await cluster!.query("create schema public");
    await goThrough(cluster!.url());
  });

  async function goThrough(url: string): Promise<void> {
    const store = await storeAt(url);
    const app = await startApp("memory", { store });
    const answers: Record<string, number> = {};
    const v1 = async (path: string, params: Record<string, string>) => {
      answers[path] = (await app.v1(path, params)).status;
    };
    const v2 = async (method: string, path: string, body?: unknown) => {
      answers[`${method} ${path.split("?")[0]}`] = (await app.v2(method, path, body)).status;
    };
    await v2("POST", "/promoters", { email: "jane@example.com", first_name: text, cust_id: text });
    await v1("/promoters/show", { cust_id: text });
    await v1("/track/signup", { uid: text, first_name: text, username: text, ref_id: "jane" });
    await v1("/track/sale", { uid: text, event_id: text, amount: "100", plan: text });
    await v1("/track/refund", {
      uid: text,
      event_id: `${text.slice(1)}2`,
      sale_event_id: text,
      amount: "100",
    });
    await v2("POST", "/products", { name: "Any", prices: [{ name: "Any", ext_id: text.slice(0, 255) }] });
    const search = `q=${encodeURIComponent(text.toWellFormed())}`;
    for (const list of ["promoters", "referrals", "commissions", "products", "payouts"])
      await v2("GET", `/${list}?${search}`);
    expect(Object.entries(answers).filter(([, status]) => status >= 300)).toEqual([]);
    expect(app.bugs).toEqual([]);
    await app.close();
    await store.close();
    expect(await inStore(url, findFaults)).toEqual([]);
  }
});

function randomCharacters(count: number): string {
  return String.fromCodePoint(
    ...Array.from(new Uint16Array(randomBytes(2 * count).buffer), (each) => 0x4e00 + (each % 0x5000)),
  );
}
