import { afterEach, expect, it } from "vitest";
import { readItem, writeItem } from "../../server/storage/items.ts";
import { watchLayout, LAYOUT, readMark, replaceMark, type Mark } from "../../server/storage/layout.ts";
import type { Engine, Session } from "../../server/storage/session.ts";
import { memoryEngine } from "../support/memory-engine.ts";

const LATER = "Another release of Tidemark has taken the store over";
const BUSY = "Another process imports into the whole store";
const UNDER_WAY = { work: "import", by: "x", stage: "fill", source: "y", filledCount: 0 } as const;

let engine: Engine | null = null;
afterEach(async () => {
  await engine?.close();
  engine = null;
});
const newEngine = async () => (engine = await memoryEngine());

const put = (value: string) => (session: Session) => writeItem(session, "key", value);

async function setMark(on: Engine, mark: Mark): Promise<void> {
  const seen = await readMark(on.reads);
  expect(await on.transact((session) => replaceMark(session, seen, mark))).toBe(true);
}

it.each<[string, Mark, string]>([
  ["a later release has upgraded the store", { version: LAYOUT + 1 }, LATER],
  ["another one fills the store", { version: LAYOUT, underWay: UNDER_WAY }, BUSY],
])("a process commits nothing two seconds after %s", async (_, mark, obstacle) => {
  const stored = await newEngine();
  let elapsed = 0;
  const watched = watchLayout(stored, () => elapsed);
  await watched.transact(put("1"));
  await setMark(stored, mark);
  elapsed = 2_000;
  await watched.transact(put("2"));
  elapsed = 2_001;
  await expect(watched.transact(put("3"))).rejects.toMatchObject({
    kind: "unavailable",
    message: `${obstacle}: this process stops`,
  });
  expect(await readItem(stored.reads, "key")).toBe("2");
  expect(await watched.look()).toBe(obstacle);
});
