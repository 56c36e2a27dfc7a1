import { expect, it } from "vitest";
import { memoryDriver } from "../../server/storage/drivers/memory.ts";
import { idSource } from "../../server/storage/ids.ts";

it("ids of a block that another database may not know of are not given any more", async () => {
  const database = { timeline: 1 };
  const driver = { ...memoryDriver(), timeline: () => database.timeline };
  const [first, second] = [idSource(driver), idSource(driver)];
  expect([await first("lead"), await second("lead"), await first("lead")]).toEqual([1, 257, 2]);
  database.timeline = 2;
  expect([await first("lead"), await first("lead"), await second("lead")]).toEqual([513, 514, 769]);
});
