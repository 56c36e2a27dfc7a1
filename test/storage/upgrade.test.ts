import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { LAYOUT, readMark, replaceMark } from "../../server/storage/layout.ts";
import { upgradeStore } from "../../server/transfer/upgrade.ts";
import { memoryEngine } from "../support/memory-engine.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "tidemark-"))));
afterEach(() => rmSync(folder, { recursive: true }));

it("of two upgrades at the same moment one changes the store, and both have written a backup", async () => {
  const engine = await memoryEngine();
  const seen = await readMark(engine.reads);
  await engine.transact((session) => replaceMark(session, seen, { version: LAYOUT - 1 }));
  const files = ["one", "two"].map((name) => join(folder, name));
  const upgrades = files.map((file) =>
    upgradeStore(engine, { url: "memory:", now: new Date(), onProgress: () => {}, file }),
  );
  const ends = await Promise.allSettled(upgrades);
  expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(ends.find(({ status }) => status === "rejected")).toMatchObject({
    reason: { kind: "conflict", message: "Another process has begun to work on the store" },
  });
  expect(files.map((file) => existsSync(file))).toEqual([true, true]);
  expect((await readMark(engine.reads)).mark).toEqual({ version: LAYOUT });
  await engine.close();
});
