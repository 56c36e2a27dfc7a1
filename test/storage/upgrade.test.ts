import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Engine } from "../../server/storage/session.ts";
import { LAYOUT, readMark, replaceMark, type Mark } from "../../server/storage/layout.ts";
import { MANIFEST } from "../../server/transfer/export.ts";
import { planUpgrade, upgradeStore } from "../../server/transfer/upgrade.ts";
import { memoryEngine } from "../support/memory-engine.ts";

const NOW = new Date("2026-03-04T05:06:07Z");

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "tidemark-"))));
afterEach(() => rmSync(folder, { recursive: true }));

async function olderEngine(mark: Partial<Mark> = {}): Promise<Engine> {
  const engine = await memoryEngine();
  const seen = await readMark(engine.reads);
  await engine.transact((session) => replaceMark(session, seen, { version: LAYOUT - 1, ...mark }));
  return engine;
}

const upgrade = (engine: Engine, backup: string | null) =>
  upgradeStore(engine, { url: `sqlite:${folder}`, now: NOW, onProgress: () => {}, folder: backup });

it("of two upgrades at the same moment one changes the store, and both have written a backup", async () => {
  const engine = await olderEngine();
  const files = ["one", "two"].map((name) => join(folder, name));
  const ends = await Promise.allSettled(files.map((file) => upgrade(engine, file)));
  expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(ends.find(({ status }) => status === "rejected")).toMatchObject({
    reason: { kind: "conflict", message: "Another process has begun to work on the store" },
  });
  expect(files.map((file) => existsSync(file))).toEqual([true, true]);
  expect((await readMark(engine.reads)).mark).toEqual({ version: LAYOUT });
  await engine.close();
});

it("an upgrade removes the half backup that a killed one has left, and nothing else", async () => {
  const engine = await olderEngine();
  const [whole, half] = [
    "before-upgrade-2026-03-01T00-00-00.000Z",
    "before-upgrade-2026-03-02T00-00-00.000Z",
  ];
  for (const name of ["others", whole, half]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, whole, MANIFEST), "{}");
  mkdirSync(join(folder, half, "unfinished"));
  await upgrade(engine, null);
  expect(readdirSync(folder).toSorted()).toEqual([
    whole,
    "before-upgrade-2026-03-04T05-06-07.000Z",
    "others",
  ]);
  await engine.close();
});

it("an upgrade whose backup gets a name of its own leaves the unfinished backups of other stores", async () => {
  const engine = await olderEngine();
  const unfinished = "before-upgrade-2026-03-02T00-00-00.000Z";
  mkdirSync(join(folder, unfinished));
  await upgrade(engine, join(folder, "acme"));
  expect(readdirSync(folder).toSorted()).toEqual(["acme", unfinished]);
  await engine.close();
});

it("no upgrade ends an unfinished import", async () => {
  const underWay = { by: "x", stage: "fill", source: "y", filledCount: 0 } as const;
  const engine = await olderEngine({ underWay });
  const refusal =
    "An import into the store is unfinished: run `tidemark import` again with --resume to continue it, or with --force to start over";
  await expect(planUpgrade(engine, { url: "memory:", now: NOW })).rejects.toThrow(refusal);
  await expect(upgrade(engine, null)).rejects.toThrow(refusal);
  expect((await readMark(engine.reads)).mark).toEqual({ version: LAYOUT - 1, underWay });
  expect(readdirSync(folder)).toEqual([]);
  await engine.close();
});
