import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newProgressView, totalFor } from "../../server/cli/progress.ts";
import { newStore } from "../../server/storage/store.ts";
import { freezes } from "../../server/storage/freeze.ts";
import { memoryEngine } from "../support/memory-engine.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

function newScreen(isTTY: boolean) {
  let text = "";
  return { isTTY, write: (more: string) => (text += more), text: () => text };
}

const END = "\u001B[K";

describe("progress on a terminal", () => {
  it("is a bar that is redrawn at most ten times a second, and a line for each step", () => {
    const screen = newScreen(true);
    const { show, end } = newProgressView(screen, 4_000);
    show({ what: "imported", entries: 1_000, total: null });
    show({ what: "imported", entries: 2_000, total: null });
    vi.advanceTimersByTime(100);
    show({ what: "imported", entries: 3_000, total: null });
    show({ what: "imported", entries: 4_000, total: null });
    show({ what: "compared", entries: 4_000, total: 8_000 });
    end();
    end();
    expect(screen.text().split("\r")).toEqual([
      "",
      `imported [########----------------------] 25 % 1,000 of 4,000${END}`,
      `imported [#######################-------] 75 % 3,000 of 4,000${END}`,
      `imported [##############################] 100 % 4,000 of 4,000${END}\n`,
      `compared [###############---------------] 50 % 4,000 of 8,000${END}\n`,
    ]);
  });

  it("is a count if the total is unknown, and never above 100 %", () => {
    const screen = newScreen(true);
    newProgressView(screen).show({ what: "checked", entries: 1_000, total: null });
    newProgressView(screen).show({ what: "exported", entries: 1_001, total: 1_000 });
    expect(screen.text()).toBe(
      `\rchecked 1,000 entries${END}\rexported [${"#".repeat(30)}] 100 % 1,001 of 1,000${END}`,
    );
  });
});

it("is a line for each hundred thousand entries of a step without a terminal", () => {
  const screen = newScreen(false);
  const { show, end } = newProgressView(screen, 500_000);
  for (let entries = 40_000; entries <= 240_000; entries += 40_000)
    show({ what: "imported", entries, total: null });
  for (let entries = 60_000; entries <= 120_000; entries += 60_000)
    show({ what: "compared", entries, total: 1 });
  end();
  expect(screen.text()).toBe(
    "imported 120000 entries ...\nimported 200000 entries ...\ncompared 120000 entries ...\n",
  );
});

it("counts the entries only with a terminal, and only if they can be counted", async () => {
  const engine = await memoryEngine();
  await newStore(engine).transact((tx) => tx.insert(freezes, { account_id: 1, state: "frozen" }));
  const away = { ...engine, reads: { ...engine.reads, all: () => Promise.reject(new Error("too slow")) } };
  expect(await totalFor(newScreen(true), engine)).toBe(1);
  expect(await totalFor(newScreen(true), away)).toBeNull();
  expect(await totalFor(newScreen(false), engine)).toBeNull();
  await engine.close();
});
