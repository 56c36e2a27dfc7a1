import { expect, it } from "vitest";
import { NOTHING } from "../../server/storage/driver.ts";
import { memoryDriver } from "../../server/storage/drivers/memory.ts";
import { watchLayout } from "../../server/storage/layout-watch.ts";
import { LAYOUT, MARK_KEY, type Mark } from "../../server/storage/layout.ts";
import { storeOn } from "../../server/storage/open.ts";

const LATER = { version: LAYOUT, next: LAYOUT + 1 };
const REFUSED = {
  kind: "unavailable",
  message: "A later release of Tidemark takes the store over: this process stops",
};
const put = (value: string) => ({ ...NOTHING, puts: [["key", value] as [string, string]] });
const marked = (mark: Mark) => ({
  ...NOTHING,
  puts: [[MARK_KEY, JSON.stringify(mark)] as [string, string]],
});
const UNDER_WAY = { work: "upgrade", by: "x", stage: "convert", source: null, filledCount: 0 } as const;

it.each<[string, Mark]>([
  ["announces its own layout", LATER],
  ["has written its own layout", { version: LAYOUT + 1 }],
  ["works on the whole store", { version: LAYOUT, underWay: { ...UNDER_WAY, layout: LAYOUT } }],
])("a process commits nothing two seconds after a later release %s", async (_, mark) => {
  const driver = memoryDriver();
  let elapsed = 0;
  const watched = watchLayout(driver, () => elapsed);
  expect(await watched.commit(put("1"))).toBe(true);
  await driver.commit(marked(mark));
  elapsed = 2_000;
  expect(await watched.commit(put("2"))).toBe(true);
  elapsed = 2_001;
  await expect(watched.commit(put("3"))).rejects.toMatchObject(REFUSED);
  expect(await driver.getItem("key")).toBe("2");
  expect(await watched.look()).toBe("A later release of Tidemark takes the store over");
});

it("a process that stops for a rebuild does not speak of a later release", async () => {
  const driver = memoryDriver();
  const watched = watchLayout(driver, () => 0);
  const underWay = { ...UNDER_WAY, work: "rebuild", layout: LAYOUT } as const;
  await driver.commit(marked({ version: LAYOUT, underWay }));
  expect(await watched.look()).toBe("Another process works on the whole store (rebuild)");
  await expect(watched.commit(put("1"))).rejects.toMatchObject({
    kind: "unavailable",
    message: "Another process works on the whole store (rebuild): this process stops",
  });
});

it("a process goes on if the later release gives up before it has changed anything", async () => {
  const driver = memoryDriver();
  const watched = watchLayout(driver, () => 0);
  await driver.commit(marked(LATER));
  expect(await watched.look()).not.toBeNull();
  await driver.commit(marked({ version: LAYOUT }));
  expect([await watched.look(), await watched.commit(put("1"))]).toEqual([null, true]);
});

it("a release starts on no store that a later one is about to take over", async () => {
  const driver = memoryDriver();
  await driver.commit(marked(LATER));
  await expect(storeOn(driver)).rejects.toMatchObject({
    kind: "refused",
    message: "The store was made by a later release of Tidemark: use that one, or an empty store",
  });
});
