import { rmSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Engine, newStore, memoryEngine } from "../../support/memory-engine.ts";
import { TABLES } from "../../../server/tables.ts";
import { isShared, newOwnership } from "../../../server/transfer/account.ts";
import { findFaults } from "../../../server/transfer/check.ts";
import type { Item } from "../../../server/transfer/item.ts";
import { exported, imported } from "../../support/exports.ts";
import type { TestApp } from "../../support/app.ts";
import { MAIN_KINDS, useEmptyStore } from "../../support/stores.ts";
import { balanceFaults } from "../../support/balance-laws.ts";
import { moneyHistory, type MoneyHistory } from "../../support/money-history.ts";
import { breaches, changeBreaches, onceBreaches, readLedger } from "../../support/money-laws.ts";
import { appOf, foundProgram, replaceDead, take } from "../../support/money-world.ts";
import { payoutFaults } from "../../support/payout-laws.ts";
import { reportFaults } from "../../support/report-laws.ts";
import { shownReportFaults } from "../../support/shown-report-laws.ts";
import { IS_LONG, rounds } from "../../support/rounds.ts";

describe("the laws of money hold in every history", () => {
  it("in memory", async () => {
    await fc.assert(
      fc.asyncProperty(moneyHistory(20), async (history) => {
        const engine = await memoryEngine();
        try {
          await live(engine, history);
        } finally {
          await engine.close();
        }
      }),
      { numRuns: rounds(3, 80) },
    );
  });

  // In a long run: `engines.test.ts` compares the other engines with memory in every run. A failing history is the same
  // in memory, where shortening it is quicker.
  describe.each(IS_LONG ? MAIN_KINDS.filter((kind) => kind !== "memory") : [])("in %s too", (kind) => {
    let engine: Engine;
    useEmptyStore(kind, TABLES, (emptyEngine) => void (engine = emptyEngine));

    it.each(fc.sample(moneyHistory(24), 10))("(history %#)", async (history) => {
      await live(engine, history);
    });
  });
});

it("after any history money stays the same to the last unit in exports and imports", async () => {
  const history = moneyHistory(6);
  await fc.assert(
    fc.asyncProperty(history, async (given) => {
      const engine = await memoryEngine();
      const app = await live(engine, given);
      const ledger = await readLedger(app.services.store, app.account_id);
      const isOwned = newOwnership([app.account_id]);
      const isWanted = (item: Item) => isOwned(item) || isShared(item);
      for (const options of [{}, { isWanted }]) {
        const folder = await exported(engine, options);
        const copy = await memoryEngine();
        await imported(copy, folder);
        rmSync(folder, { recursive: true });
        const store = newStore(copy);
        expect(await readLedger(store, app.account_id)).toEqual(ledger);
        expect([await breaches(store, app.account_id), await faultsOf(copy)]).toEqual([[], []]);
        await store.close();
      }
      await engine.close();
    }),
    { numRuns: rounds(1, 15) },
  );
});

/** Lets two processes live through a history, and checks every law after each wave. */
async function live(engine: Engine, { currency, waves }: MoneyHistory): Promise<TestApp> {
  const world = await foundProgram(engine, currency, true);
  const store = newStore(engine);
  const { account_id } = world.processes[0]!.app;
  let before = await readLedger(store, account_id);
  for (const { steps, death } of waves) {
    if (death !== null) world.processes[0]!.mortal.kill(death);
    const calls = steps.flatMap(({ step, times }) => Array.from({ length: times }, () => step));
    await Promise.all(calls.map((step, at) => take(world, step, at)));
    await replaceDead(world);
    const after = await readLedger(store, account_id);
    expect(await breaches(store, account_id)).toEqual([]);
    if (steps.every(({ step }) => step.kind !== "state"))
      expect([...changeBreaches(before, after), ...onceBreaches(before, after)]).toEqual([]);
    before = after;
  }
  const app = await appOf(world);
  const shown: string[] = [];
  for (const faultsIn of [reportFaults, shownReportFaults, balanceFaults, payoutFaults])
    shown.push(...(await faultsIn(app)));
  expect([await faultsOf(engine), shown, app.bugs]).toEqual([[], [], []]);
  return app;
}

async function faultsOf(engine: Engine): Promise<string[]> {
  const faults: string[] = [];
  for await (const fault of findFaults(engine)) faults.push(fault);
  return faults;
}
