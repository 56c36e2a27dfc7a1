import fc from "fast-check";
import { expect, it } from "vitest";
import { TABLES } from "../../../server/tables.ts";
import { bookFaults, forgetBooks, shownToday, type ShownDay } from "../../support/book-laws.ts";
import { memoryEngine, newStore, type Engine } from "../../support/memory-engine.ts";
import { moneyHistory, PROMOTERS, type MoneyHistory } from "../../support/money-history.ts";
import { appOf, foundProgram, replaceDead, take, type World } from "../../support/money-world.ts";
import { IS_LONG, rounds } from "../../support/rounds.ts";
import { MAIN_KINDS, useEmptyStore } from "../../support/stores.ts";
import { company } from "../../support/v2.ts";

const IDS = PROMOTERS.map((_, at) => at + 1);
const DAY_MS = 24 * 60 * 60 * 1_000;

/** What happens after a wave besides. `cut`: the books begin here, as after an upgrade from a release without them. */
type Besides = { does: "nothing" | "cut" } | { does: "delete" | "erase"; which: number };

const besides: fc.Arbitrary<Besides> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Besides>({ does: "nothing" }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant("delete" as const), which: fc.integer({ min: 1, max: 30 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant("erase" as const), which: fc.constantFrom(...IDS) }),
  },
  { weight: 1, arbitrary: fc.constant<Besides>({ does: "cut" }) },
);
const history = (length: number) =>
  fc.record({
    money: moneyHistory(length),
    besides: fc.array(besides, { minLength: length, maxLength: length }),
  });

it("in every history the books equal what was shown on each day, and add up between any two of them", async () => {
  await fc.assert(
    fc.asyncProperty(history(12), async (given) => {
      const engine = await memoryEngine();
      try {
        await live(engine, given);
      } finally {
        await engine.close();
      }
    }),
    { numRuns: rounds(4, 100) },
  );
});

// `engines.test.ts` compares the other engines with memory in every run.
for (const kind of IS_LONG ? MAIN_KINDS.filter((each) => each !== "memory") : []) {
  it(`in ${kind} too`, async () => {
    await live(engine, fc.sample(history(8), { numRuns: 1, seed: 7 })[0]!);
  });
  let engine: Engine;
  useEmptyStore(kind, TABLES, (emptyEngine) => void (engine = emptyEngine));
}

async function live(engine: Engine, given: { money: MoneyHistory; besides: Besides[] }): Promise<void> {
  const { currency, waves } = given.money;
  const world = await foundProgram(engine, currency, true);
  const store = newStore(engine);
  let days: ShownDay[] = [];
  for (const [at, { steps, death }] of waves.entries()) {
    if (death !== null) world.processes[0]!.mortal.kill(death);
    const calls = steps.flatMap(({ step, times }) => Array.from({ length: times }, () => step));
    await Promise.all(calls.map((step, nth) => take(world, step, nth)));
    await replaceDead(world);
    const { app } = world.processes[1]!;
    const also = given.besides[at]!;
    if (also.does === "delete") await company(app, "DELETE /commissions/destroy", { ids: [also.which] });
    if (also.does === "erase") await company(app, `POST /promoters/${also.which}/erase`);
    if (also.does === "cut") {
      await forgetBooks(store, app.account_id);
      days = [];
    }
    days.push(await shownToday(app, IDS));
    nextDay(world);
  }
  const app = await appOf(world);
  expect(await bookFaults(app, days)).toEqual([]);
  expect(app.bugs).toEqual([]);
}

function nextDay(world: World): void {
  world.now = new Date(Date.parse(world.now) + DAY_MS).toISOString();
  for (const { app } of world.processes) app.setNow(world.now);
}
