import { describe, expect, it } from "vitest";
import { isOutage } from "../../../server/failure.ts";
import { newJobs } from "../../../server/process/jobs.ts";
import { storeOn } from "../../support/memory-engine.ts";
import { startApp, type TestApp } from "../../support/app.ts";
import { findFaults } from "../../support/consistency.ts";
import { mortalEngine } from "../../support/mortal-engine.ts";
import { rounds } from "../../support/rounds.ts";
import { temporaryStore } from "../../support/temporary-store.ts";
import { company, join } from "../../support/v2.ts";
import { eraseLead, erasePromoter } from "../../support/operations.ts";

/** A word that appears only in the erased person's own data. */
const MARK = "zqxjkvzq";
const TID = "7f1b2c3d-1111-4222-8333-444455556666";

/** A promoter with a link, a payout method, a visit and a note, and a lead of another one whom a third has proposed. */
async function addPeople(app: TestApp): Promise<void> {
  await join(app, `${MARK}-jane@example.com`, { ref_id: `${MARK}-jane`, first_name: MARK });
  await join(app, "bob@example.com", { ref_id: "bob" });
  const details = { wallet_email: `${MARK}@wallet.example` };
  await company(app, "POST /payout_methods", { promoter_id: 1, method: "paypal", details });
  const url = `https://www.acme.example/?via=${MARK}-jane`;
  await app.browser("/t/click", {
    tid: TID,
    ref_id: `${MARK}-jane`,
    url,
    referrer: `https://${MARK}.example/`,
  });
  const gift = { commission_type: "custom", promoter_campaign_id: 1, amount: 100, internal_note: MARK };
  await company(app, "POST /commissions", gift);
  await app.v1("/track/signup", { email: "lead@example.com", uid: "zqyjxkvwhb", ref_id: "bob" });
  const sale = { commission_type: "sale", referral_id: 1, sale_amount: 100, external_note: "zqyjxkvwhb" };
  await company(app, "POST /commissions", sale);
}

/** A process is killed after so many commits, the last one of which is written or not. */
const DEATHS = Array.from({ length: rounds(30, 60) }, (_, number) => ({
  afterCommits: Math.floor(number / rounds(1, 2)),
  isWritten: number % 2 === 1,
}));

describe.each([
  ["promoter", MARK, (app: TestApp) => erasePromoter(app, "1")],
  ["lead", "zqyjxkvwhb", (app: TestApp) => eraseLead(app, "1")],
] as const)("an erasure of a %s whose process is killed", (_kind, mark, erase) => {
  it("has changed nothing, or is completed by the jobs of another process", async () => {
    const outcomes = new Set<string>();
    for (const death of DEATHS) {
      const { store, engine, placesOf } = await temporaryStore("memory");
      const first = await startApp("memory", { store });
      await addPeople(first);
      const places = () => placesOf(mark);
      const before = await places();
      const mortal = mortalEngine(engine);
      const dying = await startApp("memory", { store: await storeOn(mortal.engine), isFilled: true });
      mortal.kill(death);
      await erase(dying).catch((error: unknown) => {
        if (!isOutage(error) || !mortal.isDead()) throw error;
      });
      const left = await first.records.all("unfinishedErasure");
      if (mortal.isDead() && left.length === 0 && (await places()).length > 0) {
        outcomes.add("nothing");
        expect(await places()).toEqual(before);
      } else {
        outcomes.add(left.length > 0 ? "completed" : "done");
        const jobs = newJobs(first.services, () => 0);
        for (let pass = 0; pass < 4; pass++) await jobs.pass();
        await jobs.stop();
        expect([await places(), first.bugs]).toEqual([[], []]);
        expect(await first.records.all("unfinishedErasure")).toEqual([]);
        expect(await findFaults(engine)).toEqual([]);
      }
      await first.close();
    }
    expect([...outcomes].toSorted()).toEqual(["completed", "done", "nothing"]);
  });
});
