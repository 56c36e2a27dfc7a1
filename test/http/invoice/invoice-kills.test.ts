import { expect, it } from "vitest";
import { startApp } from "../../support/app.ts";
import { addSupplier, agreeTo, invoiceAndVoid, turnInvoicesOn } from "../../support/invoices.ts";
import { storeOn } from "../../support/memory-engine.ts";
import { mortalEngine, type Death } from "../../support/mortal-engine.ts";
import { addPayout } from "../../support/payouts.ts";
import { temporaryStore } from "../../support/temporary-store.ts";
import { company } from "../../support/v2.ts";

interface Shown {
  number: string | null;
  status: string;
  kind: string;
  payout_ids: number[];
}

const deaths = Array.from({ length: 9 }, (_, at) => at).flatMap((afterCommits): Death[] => [
  { afterCommits, isWritten: false },
  { afterCommits, isWritten: true },
]);

it("a kill leaves no gap in the series, and gives no number twice", async () => {
  const left = new Set<number>();
  for (const death of deaths) {
    const { store, engine } = await temporaryStore("memory");
    const app = await startApp("memory", { store });
    const jane = await addSupplier(app);
    await turnInvoicesOn(app);
    await agreeTo(app, jane);
    for (let at = 0; at < 3; at++) await addPayout(app.context, jane, { status: "completed" });
    const listed = async () => {
      const { body } = await company(app, "GET /invoices?per_page=100");
      return (body as { data: { invoices: Shown[] } }).data.invoices;
    };
    const mortal = mortalEngine(engine);
    const dying = await startApp("memory", { store: await storeOn(mortal.engine), isFilled: true });
    mortal.kill(death);
    await invoiceAndVoid(dying).catch(() => {});
    left.add((await listed()).length);
    await invoiceAndVoid(app);
    const shown = await listed();
    const numbers = shown.map(({ number }) => number).toSorted();
    expect(numbers).toEqual(shown.map((_, at) => `AFF-2026-00000${at + 1}`));
    const paid = shown.filter(({ kind, status }) => kind === "invoice" && status === "paid");
    expect(paid.flatMap(({ payout_ids: ids }) => ids).toSorted()).toEqual([1, 2, 3]);
    await app.close();
  }
  // The kills came between the parts of the work too.
  expect([...left].toSorted()).toEqual([0, 1, 2, 3, 4]);
});
