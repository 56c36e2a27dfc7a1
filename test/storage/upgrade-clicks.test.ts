import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { daily } from "../../server/domain/people/daily.ts";
import { openEngine, storeOn } from "../../server/storage/open.ts";
import type { Engine } from "../../server/storage/session.ts";
import { TABLES } from "../../server/tables.ts";
import { findFaults } from "../../server/transfer/check.ts";
import { importFile } from "../../server/transfer/import.ts";
import { upgradeStore } from "../../server/transfer/upgrade/upgrade.ts";
import { MIGRATIONS, migrate } from "../../server/transfer/upgrade/migrations.ts";
import { work } from "../../server/transfer/work.ts";
import { NOW, startApp } from "../support/app.ts";
import { contentsOf } from "../support/contents.ts";
import { DATABASE_14, EXPORT_14 } from "../support/fixture.ts";
import { TEST_SEAL } from "../support/memory-engine.ts";
import { dyingAt } from "../support/mortal-engine.ts";
import { signedInBrowser } from "../support/portal.ts";
import { MAIN_KINDS, useEmptyDatabase } from "../support/stores.ts";

const silent = () => {};
const ONCE = { onProgress: silent, resumes: false, isForced: false };
const UPGRADING = { url: "memory:", now: new Date(NOW), onProgress: silent, noticedMs: 0 };
/** What the upgrade from layout 14 begins with. */
const BEGUN = { work: "upgrade", stage: "fill", source: null, layout: 14, filledCount: 0 } as const;

let folder: string;
let engine: Engine;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "tidemark-"))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Compares the clicks of the fixture's two promoters, by their landing pages and sources, over all its years. */
async function expectCounted(): Promise<void> {
  for await (const fault of findFaults(engine)) expect.fail(fault);
  const app = await startApp("memory", { store: await storeOn(engine), isFilled: true });
  const clicks = async (id: number, by: string) => {
    const { authToken } = (await app.records.all("promoter")).find((each) => each.id === id)!;
    const portal = await signedInBrowser(app, authToken);
    const range = "start_date=2025-12-01&end_date=2026-04-30";
    const { body } = await portal.call(`GET /reports/origins?by=${by}&${range}`);
    const rows = body as { name: string; clicks_count: number }[];
    return Object.fromEntries(rows.map(({ name, clicks_count: count }) => [name, count]));
  };
  const [home, pricing] = ["https://www.acme.example/", "https://www.acme.example/pricing"];
  expect([await clicks(1, "page"), await clicks(1, "source")]).toEqual([
    { [home]: 2, [pricing]: 4, unknown: 7 },
    { "news.example": 4, letter: 1, direct: 8 },
  ]);
  expect([await clicks(2, "page"), await clicks(2, "source")]).toEqual([
    { [home]: 2, [pricing]: 1 },
    { "news.example": 1, direct: 2 },
  ]);
  expect(app.bugs).toEqual([]);
  app.services.post.close();
}

describe("the clicks that the release with layout 14 has recorded are counted by promoters' sources and pages", () => {
  it("in its SQLite file", async () => {
    writeFileSync(join(folder, "tidemark.db"), gunzipSync(readFileSync(DATABASE_14)));
    engine = await openEngine(`sqlite:${folder}`, { tables: TABLES, seal: TEST_SEAL });
    await upgradeStore(engine, { ...UPGRADING, file: join(folder, "backup.jsonl") });
    await expectCounted();
    await engine.close();
  });

  describe.each(MAIN_KINDS)("in %s", (kind) => {
    useEmptyDatabase(kind, TABLES, async (empty) => {
      engine = empty;
      await importFile(engine, { ...ONCE, file: EXPORT_14 });
    });

    it("in its export", expectCounted);

    it("in a store, once, whatever interrupts it", async () => {
      const whole = await contentsOf(engine);
      const text = `delete from ${daily.name} where series = 'promoter-origin'`;
      expect(await engine.transact(async (session) => session.run({ text, values: [] }))).toBe(9);
      const run = (on: Engine) =>
        work(on, BEGUN, { fill: (work) => migrate(work, { migrations: MIGRATIONS, onRows: silent }) });
      let cutAt = 1;
      for (; cutAt < 20; cutAt++) {
        const isDone = await run(dyingAt(engine, cutAt)).then(
          () => true,
          () => false,
        );
        if (isDone) break;
      }
      expect(cutAt).toBeGreaterThan(3);
      expect(await contentsOf(engine)).toEqual(whole);
      await expectCounted();
    });
  });
});
