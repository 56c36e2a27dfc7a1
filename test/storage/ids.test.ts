import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openEngine } from "../../server/storage/open.ts";

it("gives no id of another process that uses the store, nor one that a process had before it ended", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-ids-"));
  const open = () => openEngine(`sqlite:${folder}`, { tables: [] });
  const [one, other] = await Promise.all([open(), open()]);
  const given = [await one.nextId("lead"), await other.nextId("lead"), await one.nextId("lead")];
  await Promise.all([one.close(), other.close()]);
  const again = await open();
  given.push(await again.nextId("lead"));
  await again.close();
  expect(new Set(given).size).toBe(4);
  expect(Math.max(...given)).toBe(given[3]);
  rmSync(folder, { recursive: true });
});

it("leaves no gaps among the first ids, whichever process takes them, and takes more at a time later", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-ids-"));
  const given: number[] = [];
  for (let process = 0; process < 6; process++) {
    const engine = await openEngine(`sqlite:${folder}`, { tables: [] });
    given.push(await engine.nextId("campaign"));
    await engine.close();
  }
  expect(given).toEqual([1, 2, 3, 4, 5, 6]);
  const engine = await openEngine(`sqlite:${folder}`, { tables: [] });
  for (let more = 0; more < 2_000; more++) given.push(await engine.nextId("campaign"));
  await engine.close();
  expect(new Set(given).size).toBe(2_006);
  expect(Math.max(...given)).toBeLessThan(2_006 + 256);
  rmSync(folder, { recursive: true });
});
