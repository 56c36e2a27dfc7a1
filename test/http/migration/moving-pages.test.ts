import { createStorage } from "unstorage";
import { afterEach, expect, it } from "vitest";
import { rewardful } from "../../../server/transfer/migration/sources/rewardful.ts";
import { newDice } from "../../support/sources/program.ts";
import { readStandIn, recordsOf } from "../../support/sources/reading.ts";
import { startRewardful, uuid } from "../../support/sources/rewardful.ts";
import { openArchive } from "../../../server/transfer/migration/archive.ts";
import type { StandIn, StandInOptions } from "../../support/sources/stand-in.ts";

const open: StandIn[] = [];
afterEach(async () => {
  for (const standIn of open.splice(0)) await standIn.close();
});

async function started(options?: StandInOptions): Promise<StandIn> {
  const standIn = await startRewardful(options);
  open.push(standIn);
  return standIn;
}

const SEEDS = [1, 2, 3, 4, 5, 6];

it.each(SEEDS)("loses and doubles nothing while commissions come and go (%i)", async (seed) => {
  const standIn = await started({ seed, size: 2_000 });
  const list = standIn.lists["commissions"]!;
  const stays = new Set(list.map(({ id }) => id));
  const dice = newDice(seed);
  standIn.before = (path) => {
    if (path !== "/commissions") return;
    for (let count = dice(seed * 8); count > 0; count -= 1) {
      const [gone] = list.splice(dice(list.length), 1);
      stays.delete(gone!["id"]);
    }
    // The first one of the list has its own number, so that others can be told from it.
    for (let count = dice(12); count > 0; count -= 1) {
      list.push({ ...list[0], id: uuid("new", standIn.asked.length * 100 + count) });
    }
  };
  const { of } = await readStandIn(rewardful, standIn);
  const found = of("commission").map(({ id }) => id);
  expect(new Set(found).size).toBe(found.length);
  expect([...stays].filter((id) => !found.includes(id as string))).toEqual([]);
});

it("has a promoter who is renamed between two pages once, with the new name", async () => {
  const standIn = await started({ size: 20_000 });
  const affiliates = standIn.lists["affiliates"]!;
  standIn.before = (path) => {
    const pages = standIn.asked.filter((asked) => asked.startsWith("/affiliates?"));
    if (path !== "/affiliates" || pages.length !== 2) return;
    const promoter = affiliates.find(({ id }) => id === uuid("aff", 14))!;
    promoter["first_name"] = "Renamed";
    // Eighty are gone, so that the second page begins after records that no page has shown.
    affiliates.splice(40, 80);
  };
  const { of } = await readStandIn(rewardful, standIn);
  const found = of("promoter").filter(({ id }) => id === uuid("aff", 14));
  expect(found.map(({ first_name }) => first_name)).toEqual(["Renamed"]);
  const ids = new Set(of("promoter").map(({ id }) => id));
  expect(affiliates.filter(({ id }) => !ids.has(id as string))).toEqual([]);
});

it("reads lists whose last page is full, or that are empty", async () => {
  const standIn = await started({ size: 1_000 });
  const { commissions, payouts } = standIn.lists;
  commissions!.splice(200);
  payouts!.splice(0);
  const { of } = await readStandIn(rewardful, standIn);
  expect(of("commission")).toHaveLength(200);
  expect(of("payout")).toEqual([]);
});

it("brings what is new by a later run, and makes the records again without the source", async () => {
  const standIn = await started();
  const storage = createStorage();
  const first = await readStandIn(rewardful, standIn, { storage });
  const { affiliates } = standIn.lists;
  affiliates!.push({ ...affiliates![0], id: uuid("aff", 500), email: "new@example.com", links: [] });
  const second = await readStandIn(rewardful, standIn, { storage });
  expect(second.of("promoter")).toHaveLength(first.of("promoter").length + 1);
  await standIn.close();
  const archive = openArchive(storage, 1, "rewardful");
  expect((await archive.runs()).map(({ id }) => id)).toEqual([1, 2]);
  expect((await recordsOf(rewardful.records(archive.read(1)))).all).toEqual(first.all);
  expect((await recordsOf(rewardful.records(archive.read(2)))).all).toEqual(second.all);
});

it("comes to an end though one request in four is refused", async () => {
  const standIn = await started({ busyChance: 0.25 });
  const calm = await started();
  const { all } = await readStandIn(rewardful, standIn);
  expect(all).toEqual((await readStandIn(rewardful, calm)).all);
});
