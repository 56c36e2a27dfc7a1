import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newJobs } from "../../../server/process/jobs.ts";
import { startApp, type TestApp } from "../../support/app.ts";
import { addCommission, addPromoter, changeAccount } from "../../support/payouts.ts";
import { type RecordOf, recordsIn } from "../../support/records.ts";
import { addAccount } from "../../support/operations.ts";

const HOUR_MS = 60 * 60 * 1_000;

describe("the scheduled payouts", () => {
  let app: TestApp;
  let account: RecordOf<"account">;
  let jane: RecordOf<"promoter">;
  let elapsed = 0;
  beforeEach(async () => {
    app = await startApp();
    elapsed = 0;
    account = await changeAccount(app.context, app.account_id, { created_at: "2025-01-01T00:00:00.000Z" });
    jane = await addPromoter(app.context, account, { email: "jane@example.com" });
  });
  afterEach(() => app.close());

  const newProcess = () => newJobs(app.services, () => elapsed);
  const at = async (now: string, jobs = newProcess()) => {
    app.setNow(now);
    elapsed += HOUR_MS;
    // One step runs the payouts, the next one ends the round.
    await jobs.pass();
    await jobs.pass();
    await jobs.stop();
  };
  const periods = async () =>
    (await app.records.all("payoutRun"))
      .toReversed()
      .map(({ group_ref, finished_at }) => [group_ref, finished_at]);
  const sums = async () =>
    (await app.records.all("payout")).map(({ group_ref, amount }) => [group_ref, amount]);

  it("pay a month from the first moment after it, once, whoever runs", async () => {
    await addCommission(app.context, jane, { created_at: "2026-03-31T23:59:59.999Z" });
    await at("2026-03-31T23:59:59.999Z");
    expect([await periods(), await sums()]).toEqual([[["2026-02", "2026-03-31T23:59:59.999Z"]], []]);
    await at("2026-04-01T00:00:00.000Z");
    await at("2026-04-02T00:00:00.000Z");
    expect(await sums()).toEqual([["2026-03", 1_000]]);
    expect((await periods())[0]).toEqual(["2026-03", "2026-04-01T00:00:00.000Z"]);
  });

  it("come late, but not never, after months without a server", async () => {
    await addCommission(app.context, jane, { created_at: "2026-02-10T00:00:00.000Z" });
    await addCommission(app.context, jane, { created_at: "2026-05-10T00:00:00.000Z" });
    await at("2026-06-20T00:00:00.000Z");
    expect(await sums()).toEqual([["2026-05", 2_000]]);
  });

  it("break nothing where the clock jumps ahead and back", async () => {
    await addCommission(app.context, jane, { created_at: "2026-03-10T00:00:00.000Z" });
    await at("2027-08-01T00:00:00.000Z");
    await addCommission(app.context, jane, { created_at: "2026-03-11T00:00:00.000Z" });
    await at("2026-04-01T00:00:00.000Z");
    expect(await sums()).toEqual([
      ["2027-07", 1_000],
      ["2026-03", 1_000],
    ]);
  });

  it("follow the account's cycle", async () => {
    await changeAccount(app.context, app.account_id, { payout_cycle: "weekly" });
    await addCommission(app.context, jane, { created_at: "2026-03-08T23:00:00.000Z" });
    await at("2026-03-09T00:00:00.000Z");
    expect(await sums()).toEqual([["2026-03-02/2026-03-08", 1_000]]);
  });

  it("begin with the first period that an account has seen the end of", async () => {
    await changeAccount(app.context, app.account_id, { created_at: "2026-03-04T00:00:00.000Z" });
    await at("2026-03-31T00:00:00.000Z");
    expect(await periods()).toEqual([]);
    await at("2026-04-01T00:00:00.000Z");
    expect((await periods()).map(([groupRef]) => groupRef)).toEqual(["2026-03"]);
  });

  it("pay all others if one payout can't be made, and try that one again until it can", async () => {
    const gone = await addPromoter(app.context, account, { email: "gone@example.com" });
    const joe = await addPromoter(app.context, account, { email: "joe@example.com" });
    const { account: other } = await addAccount(app, {
      name: "Other",
      public_id: "other",
      landing_url: "https://www.other.example/",
      key: "key-of-other",
    });
    await changeAccount(app.context, other.id, { created_at: "2025-01-01T00:00:00.000Z" });
    const ann = await addPromoter(app.context, other, { email: "ann@example.com" });
    for (const promoter of [jane, gone, joe]) await addCommission(app.context, promoter);
    await addCommission(app.context, ann, { campaign_id: 2 });
    await app.records.remove("promoter", gone.id);
    await at("2026-02-01T00:00:00.000Z");
    const paid = async (id: number) =>
      (await recordsIn(app.context.store, id).all("payout")).map(({ promoter_id }) => promoter_id);
    expect([await paid(app.account_id), await paid(other.id)]).toEqual([[jane.id, joe.id], [ann.id]]);
    expect([await periods(), app.bugs.length]).toEqual([[["2026-01", null]], 1]);
    expect(app.bugs[0]).toContain(`promoter ${gone.id}`);

    await app.records.put("promoter", gone);
    await at("2026-02-01T01:00:00.000Z");
    expect(await paid(app.account_id)).toEqual([jane.id, joe.id, gone.id]);
    expect(await periods()).toEqual([["2026-01", "2026-02-01T01:00:00.000Z"]]);
  });

  it("pause after a hundred payouts, and go on in another process if theirs dies", async () => {
    for (let count = 1; count <= 150; count++) {
      await addCommission(
        app.context,
        await addPromoter(app.context, account, { email: `p${count}@example.com` }),
        {
          created_at: "2026-03-10T00:00:00.000Z",
        },
      );
    }
    app.setNow("2026-04-01T00:00:00.000Z");
    const dying = newProcess();
    await dying.pass();
    // Up to thirty-one more were under way.
    const { length } = await sums();
    expect(length >= 100 && length <= 131).toBe(true);
    await dying.stop();
    await at("2026-04-01T00:05:00.000Z");
    expect(await sums()).toHaveLength(150);
    expect(await periods()).toEqual([["2026-03", "2026-04-01T00:05:00.000Z"]]);
  });
});
