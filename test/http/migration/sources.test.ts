import { createStorage } from "unstorage";
import { rounds } from "../../support/rounds.ts";
import { afterEach, expect, it } from "vitest";
import { openArchive } from "../../../server/transfer/migration/archive.ts";
import type { SourceName } from "../../../server/transfer/migration/model.ts";
import { readProgram, SOURCES } from "../../../server/transfer/migration/migrate.ts";
import { startDub } from "../../support/sources/dub.ts";
import { startFirstPromoter } from "../../support/sources/firstpromoter.ts";
import { startPartnerStack } from "../../support/sources/partnerstack.ts";
import { mortalStorage } from "../../support/sources/mortal-storage.ts";
import { newDice } from "../../support/sources/program.ts";
import { quickReach, readStandIn, sorted, truthIn } from "../../support/sources/reading.ts";
import { startRewardful } from "../../support/sources/rewardful.ts";
import { startTolt } from "../../support/sources/tolt.ts";
import type { StandIn, StandInOptions } from "../../support/sources/stand-in.ts";

const STAND_INS: [SourceName, (options?: StandInOptions) => Promise<StandIn>][] = [
  ["rewardful", startRewardful],
  ["firstpromoter", startFirstPromoter],
  ["tolt", startTolt],
  ["partnerstack", startPartnerStack],
  ["dub", startDub],
];
const KILLS = rounds(6, 10);
const KINDS = [
  "campaign",
  "promoter",
  "promoter_campaign",
  "code",
  "customer",
  "sale",
  "commission",
  "payout",
  "remark",
];

const open: StandIn[] = [];
afterEach(async () => {
  for (const standIn of open.splice(0)) await standIn.close();
});

/** What each source says of the same program. */
const readings = new Map<SourceName, ReturnType<typeof readStandIn>>();

/** Tests that change nothing share a reading. */
function readPlain(name: SourceName, start: (typeof STAND_INS)[number][1]): ReturnType<typeof readStandIn> {
  const reading = readings.get(name) ?? started(start).then((standIn) => readStandIn(SOURCES[name], standIn));
  readings.set(name, reading);
  return reading;
}

async function started(start: (typeof STAND_INS)[number][1], options?: StandInOptions): Promise<StandIn> {
  const standIn = await start(options);
  open.push(standIn);
  return standIn;
}

it.each(STAND_INS)("gives each promoter of %s what they have there, to the cent", async (name, start) => {
  const standIn = await started(start, { busyChance: 0.1 });
  const { all, kinds } = await readStandIn(SOURCES[name], standIn);
  expect(sorted(truthIn(all))).toEqual(sorted(standIn.truth));
  expect(kinds).toEqual(KINDS.filter((kind) => name !== "partnerstack" || kind !== "code"));
});

it.each(STAND_INS)("names in records of %s only records that there are", async (name, start) => {
  const { all, of } = await readPlain(name, start);
  const ids = (kind: (typeof all)[number]["kind"]) => new Set(of(kind as "remark").map(({ id }) => id));
  const known = { sale_id: ids("sale"), customerId: ids("customer"), promoter_id: ids("promoter") };
  const also = { payout_id: ids("payout"), parentId: ids("promoter"), campaign_id: ids("campaign") };
  const lost = all.flatMap((record) =>
    Object.entries({ ...known, ...also }).filter(([field, there]) => {
      const value = (record as unknown as Record<string, string | null | undefined>)[field];
      return value !== undefined && value !== null && !there.has(value);
    }),
  );
  expect(lost).toEqual([]);
  for (const kind of KINDS) {
    const of = all.filter((record) => record.kind === kind);
    expect(new Set(of.map(({ id }) => id)).size).toBe(of.length);
  }
});

it.each(STAND_INS)("gives payouts of %s that are the sums of their commissions", async (name, start) => {
  const { of } = await readPlain(name, start);
  expect(of("payout").length).toBeGreaterThan(3);
  for (const { id, amount, status } of of("payout")) {
    const within = of("commission").filter(({ payout_id }) => payout_id === id);
    expect(within.reduce((sum, commission) => sum + commission.amount, 0)).toBe(amount);
    expect(within.every(({ isPaid }) => isPaid)).toBe(status === "completed");
  }
});

it.each(STAND_INS)("loses and doubles nothing while records of %s come and go", async (name, start) => {
  const standIn = await started(start, { size: rounds(400, 1_200) });
  const dice = newDice(3);
  const stays = new Set(standIn.lists["customers"] ?? standIn.lists["referrals"]);
  const list = standIn.lists["customers"] ?? standIn.lists["referrals"]!;
  standIn.before = (path) => {
    if (!/^\/(customers|referrals)$/.test(path)) return;
    for (let count = dice(6); count > 0; count -= 1) {
      const [gone] = list.splice(dice(list.length), 1);
      stays.delete(gone!);
    }
  };
  const { of } = await readStandIn(SOURCES[name], standIn);
  const found = of("customer").map(({ id }) => id);
  expect(new Set(found).size).toBe(found.length);
  const people = [...stays].filter(({ test, partner, conversion_state: state, promoter_campaign: place }) => {
    const isReferred = partner !== null && place !== null && state !== "visitor";
    return test !== true && isReferred;
  });
  const wanted = people.filter(({ state }) => state !== "moved").map(({ id, key }) => String(id ?? key));
  expect(wanted.filter((id) => !found.includes(id))).toEqual([]);
});

/** The lists of promoters, and where their names are. */
const PEOPLE: Record<SourceName, [list: string, name: string]> = {
  rewardful: ["affiliates", "first_name"],
  firstpromoter: ["promoters", "profile"],
  tolt: ["partners", "first_name"],
  partnerstack: ["partnerships", "first_name"],
  dub: ["partners", "name"],
};

it.each(STAND_INS)(
  "has a promoter of %s who is renamed between two pages once, by the new name",
  async (name, start) => {
    const standIn = await started(start, { people: 300 });
    const [list, field] = PEOPLE[name];
    const people = standIn.lists[list]!;
    // One whom the first page has, whether it begins with the newest or the oldest.
    const isOldestFirst = name === "dub" || name === "firstpromoter";
    const renamed = isOldestFirst ? people[20]! : people.at(-20)!;
    const email = renamed["email"];
    let pages = 0;
    standIn.before = (path) => {
      if (path !== `/${list}` || (pages += 1) !== 2) return;
      renamed[field] = name === "firstpromoter" ? { first_name: "Renamed", last_name: "" } : "Renamed";
      // It moves to where lists begin, because some are ordered by the last change.
      people.splice(people.indexOf(renamed), 1);
      if (isOldestFirst) people.unshift(renamed);
      else people.push(renamed);
    };
    const { of } = await readStandIn(SOURCES[name], standIn);
    expect(pages).toBeGreaterThan(2);
    const found = of("promoter").filter((promoter) => promoter.email === email);
    expect(found.map(({ first_name }) => first_name)).toEqual(["Renamed"]);
    expect(of("promoter")).toHaveLength(people.length);
  },
);

it.each(STAND_INS)(
  "goes on with %s where it was after many kills, and has the same records",
  async (name, start) => {
    const standIn = await started(start, { size: rounds(600, 2_400) });
    const { all } = await readStandIn(SOURCES[name], standIn);
    const wanted = standIn.asked.length;
    standIn.asked.length = 0;
    const storage = createStorage();
    const dice = newDice(5);
    let kills = 0;
    for (;;) {
      try {
        const mortal = kills < KILLS ? mortalStorage(storage, dice) : storage;
        expect((await readStandIn(SOURCES[name], standIn, { storage: mortal })).all).toEqual(all);
        break;
      } catch (error) {
        expect((error as Error).message).toBe("killed");
        kills += 1;
      }
    }
    expect(kills).toBe(KILLS);
    // A kill costs the answers that were being kept, and the page that joins them.
    expect(standIn.asked.length).toBeLessThanOrEqual(wanted + 28 * kills);
  },
);

it.each(STAND_INS)("says that %s has refused the key", async (name, start) => {
  const standIn = await started(start);
  const { title, keyHint } = SOURCES[name];
  const key = standIn.key.replaceAll("1", "2");
  await expect(readStandIn(SOURCES[name], standIn, { key })).rejects.toThrow(
    `The key was refused by ${title}. It needs ${keyHint}.`,
  );
});

it("says what a key of each source must be", () => {
  const words = (name: SourceName, key: string) => () => SOURCES[name].headers(key);
  expect(words("dub", "")).toThrow("The key must be only the API key");
  expect(words("tolt", "a b")).toThrow("The key must be only the API key");
  expect(words("firstpromoter", "only-one")).toThrow("The key must be the API key and the account id");
  expect(words("partnerstack", "one:two:three")).toThrow("The key must be the public key and the secret key");
});

it("remarks lists that the key may not read", async () => {
  const standIn = await started(startDub);
  const reach = quickReach();
  const refused = {
    ...reach,
    fetch: ((url, options) =>
      String(url).includes("/discount-codes")
        ? Promise.resolve(Response.json({ error: { message: "Needs another plan" } }, { status: 403 }))
        : fetch(url, options)) satisfies typeof fetch,
  };
  const { of } = await readStandIn(SOURCES.dub, standIn, { reach: refused });
  expect(of("code")).toEqual([]);
  expect(of("remark").map(({ text }) => text)).toContain(
    "Dub refuses /discount-codes: 403 Needs another plan",
  );
});

it("reads many pages completely", async () => {
  const size = rounds(1_000, 10_000);
  const standIn = await started(startDub, { size });
  const archive = openArchive(createStorage(), 1, "dub");
  const { key, url } = standIn;
  const run = await readProgram({ source: SOURCES.dub, archive, key, baseUrl: url, reach: quickReach() });
  const ids = new Set<string>();
  for await (const { kind, id } of SOURCES.dub.records(archive.read(run))) ids.add(`${kind} ${id}`);
  expect(ids.size).toBeGreaterThan(size);
});
