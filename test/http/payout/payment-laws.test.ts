import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TABLES } from "../../../server/tables.ts";
import { memoryEngine, type Engine } from "../../support/memory-engine.ts";
import { newPaymentWorld, paymentHistory, type PaymentEvent } from "../../support/payment-world.ts";
import {
  newTransferWorld,
  TRANSFER_PROVIDERS,
  transferHistory,
  type TransferEvent,
} from "../../support/transfer-world.ts";
import { IS_LONG, rounds } from "../../support/rounds.ts";
import { MAIN_KINDS, useEmptyStore } from "../../support/stores.ts";

/** In a long run, the same on other engines: `engines.test.ts` compares them with memory in every run. */
const OTHER_KINDS = IS_LONG ? MAIN_KINDS.filter((kind) => kind !== "memory") : [];

describe("each payout is paid at most once, whatever is killed, lost, late or repeated", () => {
  it("in memory", async () => {
    await fc.assert(
      fc.asyncProperty(paymentHistory(24), async (history) => {
        const engine = await memoryEngine();
        try {
          await liveThrough<PaymentEvent>(await newPaymentWorld(engine), history);
        } finally {
          await engine.close();
        }
      }),
      { numRuns: rounds(3, 25) },
    );
  }, 600_000);

  describe.each(OTHER_KINDS)("in %s too", (kind) => {
    let engine: Engine;
    useEmptyStore(kind, TABLES, (emptyEngine) => void (engine = emptyEngine));

    it.each(fc.sample(paymentHistory(24), 20))("(history %#)", async (...history) => {
      await liveThrough<PaymentEvent>(await newPaymentWorld(engine), history as PaymentEvent[]);
    });
  });
});

describe.each(TRANSFER_PROVIDERS)(
  "the same by %s, whose events are late, twice, forged or lost",
  (provider) => {
    it("in memory", async () => {
      await fc.assert(
        fc.asyncProperty(transferHistory(24), async (history) => {
          const engine = await memoryEngine();
          try {
            await liveThrough<TransferEvent>(await newTransferWorld(engine, provider), history);
          } finally {
            await engine.close();
          }
        }),
        { numRuns: rounds(2, 15) },
      );
    }, 600_000);

    describe.each(OTHER_KINDS)("in %s too", (kind) => {
      let engine: Engine;
      useEmptyStore(kind, TABLES, (emptyEngine) => void (engine = emptyEngine));

      it.each(fc.sample(transferHistory(24), 10))("(history %#)", async (...history) => {
        await liveThrough<TransferEvent>(
          await newTransferWorld(engine, provider),
          history as TransferEvent[],
        );
      });
    });
  },
);

/** A program and its provider. */
interface World<Event> {
  live(event: Event): Promise<void>;
  faults(): Promise<string[]>;
  untold(): Promise<string[]>;
  calm(): Promise<void>;
  differences(): Promise<string[]>;
  close(): Promise<void>;
}

/** Lives through a history, and checks the laws after each event and at the end. */
async function liveThrough<Event extends { does: string }>(
  world: World<Event>,
  history: Event[],
): Promise<void> {
  try {
    for (const event of history) {
      await world.live(event);
      expect(await world.faults()).toEqual([]);
      if (event.does === "wait") expect(await world.untold()).toEqual([]);
    }
    await world.calm();
    expect(await world.faults()).toEqual([]);
    expect(await world.differences()).toEqual([]);
  } finally {
    await world.close();
  }
}
