import { afterEach, expect, it } from "vitest";
import { readItem, writeItem } from "../../server/storage/items.ts";
import { watchLayout, LAYOUT, readMark, replaceMark, type Mark } from "../../server/storage/layout.ts";
import { storeOn } from "../../server/storage/open.ts";
import type { Engine, Session } from "../../server/storage/session.ts";
import { memoryEngine } from "../support/memory-engine.ts";

const LATER = { version: LAYOUT, next: LAYOUT + 1 };
const REFUSED = {
  kind: "unavailable",
  message: "A later release of Tidemark takes the store over: this process stops",
};
const UNDER_WAY = { by: "x", stage: "fill", source: null, filledCount: 0, layout: LAYOUT } as const;

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

it.each<[string, Mark]>([
  ["announces its own layout", LATER],
  ["has written its own layout", { version: LAYOUT + 1 }],
  ["works on the whole store", { version: LAYOUT, underWay: { ...UNDER_WAY, work: "upgrade" } }],
])("a process commits nothing two seconds after a later release %s", async (_, mark) => {
  const stored = await newEngine();
  let elapsed = 0;
  const watched = watchLayout(stored, () => elapsed);
  await watched.transact(put("1"));
  await setMark(stored, mark);
  elapsed = 2_000;
  await watched.transact(put("2"));
  elapsed = 2_001;
  await expect(watched.transact(put("3"))).rejects.toMatchObject(REFUSED);
  expect(await readItem(stored.reads, "key")).toBe("2");
  expect(await watched.look()).toBe("A later release of Tidemark takes the store over");
});

it("a process that stops for an import does not speak of a later release", async () => {
  const stored = await newEngine();
  const watched = watchLayout(stored, () => 0);
  await setMark(stored, { version: LAYOUT, underWay: { ...UNDER_WAY, work: "import" } });
  expect(await watched.look()).toBe("Another process works on the whole store (import)");
  await expect(watched.transact(put("1"))).rejects.toMatchObject({
    kind: "unavailable",
    message: "Another process works on the whole store (import): this process stops",
  });
});

it("a process goes on if the later release gives up before it has changed anything", async () => {
  const stored = await newEngine();
  const watched = watchLayout(stored, () => 0);
  await setMark(stored, LATER);
  expect(await watched.look()).not.toBeNull();
  await setMark(stored, { version: LAYOUT });
  expect(await watched.look()).toBeNull();
  await watched.transact(put("1"));
});

it("a release starts on no store that a later one is about to take over", async () => {
  const stored = await newEngine();
  await setMark(stored, LATER);
  await expect(storeOn(stored)).rejects.toMatchObject({
    kind: "refused",
    message: "The store was made by a later release of Tidemark: use that one, or an empty store",
  });
});
