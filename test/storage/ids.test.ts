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
  expect(given[2]).toBe(given[0]! + 1);
  await Promise.all([one.close(), other.close()]);
  const again = await open();
  given.push(await again.nextId("lead"));
  await again.close();
  expect(new Set(given).size).toBe(4);
  expect(Math.max(...given)).toBe(given[3]);
  rmSync(folder, { recursive: true });
});
