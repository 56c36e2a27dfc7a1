import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { v1, v2 } from "../../support/calls.ts";

/** More than single reads are used for. */
const SOME = 30;

const LISTS = [
  "V2 /promoters?per_page=100",
  "V2 /promoter_campaigns?per_page=100",
  "V2 /promo_codes?per_page=100",
  "V1 /promoters/list?per_page=100",
  "V1 /leads/list?per_page=100",
];

describe.each(STORAGES)("Lists on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  async function join(from: number, before: number, rewardId: number): Promise<void> {
    for (let at = from; at < before; at++) {
      const ref_id = `jane${at}`;
      await v1(app, "POST", "/promoters/create", { email: `${ref_id}@example.com`, ref_id });
      await v1(app, "POST", "/track/signup", { email: `lead${at}@example.com`, ref_id });
      await v2(app, "POST", "/promo_codes", {
        code: `JANE${at}`,
        reward_id: rewardId,
        promoter_campaign_id: at + 1,
      });
    }
  }

  async function countReads(list: string): Promise<{ records: number; reads: number }> {
    const { edge } = app.stored;
    const { read } = edge;
    let reads = 0;
    edge.read = (from, look) => {
      reads++;
      return read(from, look);
    };
    const [version, path = ""] = list.split(" ");
    const { body } = version === "V1" ? await v1(app, "GET", path) : await v2(app, "GET", path);
    edge.read = read;
    const records = Array.isArray(body) ? body : (body as { data: unknown[] }).data;
    return { records: records.length, reads };
  }

  it("read no more often for a longer page", async () => {
    const reward = { name: "10% off", is_promoter_reward: false, schemas: [SCHEMA] };
    const { id } = (await v2(app, "POST", "/rewards", reward)).body as { id: number };
    await join(0, SOME, id);
    const before = new Map<string, number>();
    for (const list of LISTS) {
      const { records, reads } = await countReads(list);
      expect({ list, records }).toEqual({ list, records: SOME });
      before.set(list, reads);
    }
    await join(SOME, 2 * SOME, id);
    for (const list of LISTS) {
      expect({ list, ...(await countReads(list)) }).toEqual({
        list,
        records: 2 * SOME,
        reads: before.get(list),
      });
    }
  });
});

const SCHEMA = { unit: "discount_per", amount: 10, flat_amount: true };
