import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { findFaults } from "../../support/consistency.ts";
import { erasePromoter } from "../../support/operations.ts";
import { visitingPromoter, type PortalBrowser } from "../../support/portal.ts";

const HOME = "https://www.acme.example/";
const MARCH = "start_date=2026-03-01&end_date=2026-03-31";
const tid = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;

describe.each(STORAGES)("a promoter's clicks by landing page and source on %s", (kind) => {
  let app: TestApp;
  let jane: PortalBrowser;
  let bob: PortalBrowser;
  let visits: number;
  beforeEach(async () => {
    visits = 0;
    app = await startApp(kind);
    jane = await visitingPromoter(app, "jane@example.com", { ref_id: "jane" });
    bob = await visitingPromoter(app, "bob@example.com", { ref_id: "bob" });
  });
  afterEach(async () => {
    expect([app.bugs, await findFaults(app.stored.engine)]).toEqual([[], []]);
    await app.close();
  });

  async function visit(refId: string, path = "", referrer = "", id = tid(++visits)): Promise<string> {
    const { status } = await app.browser("/t/click", {
      tid: id,
      ref_id: refId,
      url: `${HOME}${path}`,
      referrer,
    });
    expect(status).toBe(200);
    return id;
  }

  async function clicks(browser: PortalBrowser, by = "page", range = MARCH): Promise<[string, number][]> {
    const { body } = await browser.outcome(`GET /reports/origins?by=${by}&${range}`);
    const rows = body as { name: string; clicks_count: number }[];
    return rows.map(({ name, clicks_count: count }) => [name, count]);
  }

  it("are the promoter's own, in the range, each counted once", async () => {
    const first = await visit("jane", "pricing?via=jane", "https://news.example/");
    await visit("jane", "pricing?via=jane", "https://news.example/", first);
    await visit("jane", "pricing");
    await visit("jane");
    await visit("bob", "pricing");
    expect(await clicks(jane)).toEqual([
      [`${HOME}pricing`, 2],
      [HOME, 1],
    ]);
    expect(await clicks(jane, "source")).toEqual([
      ["direct", 2],
      ["news.example", 1],
    ]);
    expect(await clicks(bob)).toEqual([[`${HOME}pricing`, 1]]);
    expect(await clicks(jane, "page", "start_date=2026-03-05&end_date=2026-03-31")).toEqual([]);
    expect(await clicks(jane, "page", "start_date=2026-03-04&end_date=2026-03-04")).toHaveLength(2);
  });

  it("stay when their visitors are removed", async () => {
    const ids = [await visit("jane", "pricing"), await visit("jane")];
    app.setNow(new Date(app.services.clock().getTime() + 60_000).toISOString());
    for (const id of ids) expect((await app.browser("/t/withdraw", { tid: id })).status).toBe(200);
    expect(await app.records.count("pastClick")).toBe(2);
    expect(await clicks(jane)).toEqual([
      [HOME, 1],
      [`${HOME}pricing`, 1],
    ]);
  });

  it("of pages beyond those that the account keeps are counted together", async () => {
    const { account_id } = app;
    const known = Array.from({ length: 1_000 }, (_, at) => `https://x.example/${at}`);
    await app.records.put(
      "originName",
      ...known.map((name) => ({ account_id, kind: "page", name, days: 2, last_day: "2026-03-01" }) as const),
    );
    for (let at = 0; at < 3; at++) await visit("jane", `made-up-${at}`);
    expect(await clicks(jane)).toEqual([["other", 3]]);
  });

  it("stay when another promoter is erased", async () => {
    await visit("jane", "", "https://news.example/");
    await visit("bob", "", "https://news.example/");
    await visit("bob", "", "https://bob-writes.example/");
    await erasePromoter(app, "bob@example.com");
    expect(await clicks(jane, "source")).toEqual([["news.example", 1]]);
  });
});
