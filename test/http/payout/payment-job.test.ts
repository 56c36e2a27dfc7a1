import { afterEach, beforeEach, expect, it } from "vitest";
import { newJobs } from "../../../server/process/jobs.ts";
import { startApp, type TestApp } from "../../support/app.ts";
import { addAccount } from "../../support/operations.ts";
import { addBatch, connectTo, sendAll } from "../../support/payments.ts";
import { recordsIn } from "../../support/records.ts";
import { startWiseApi, type TransferApi } from "../../support/transfer-apis.ts";

let app: TestApp;
let other: TestApp;
let wise: TransferApi;
beforeEach(async () => {
  app = await startApp();
  const made = {
    name: "Beta",
    public_id: "beta",
    landing_url: "https://www.beta.example/",
    key: "key-of-beta",
  };
  const { id: accountId } = (await addAccount(app, made)).account;
  other = { ...app, account_id: accountId, records: recordsIn(app.services.store, accountId) };
  wise = await startWiseApi();
  for (const [each, receiver, batchId] of [
    [app, "jane@example.com", 1],
    [other, "joe@example.com", 2],
  ] as const) {
    await connectTo(each, "wise", wise.url);
    await addBatch(each, "wise", [{ wise_email: receiver }]);
    await sendAll(each, "wise", batchId);
  }
});
afterEach(async () => {
  await wise.close();
  await app.close();
});

const paid = () => wise.paid.map(({ payee }) => payee);
const logged = () =>
  app.bugs.map((line) => {
    const { msg, account, provider, err } = JSON.parse(line) as Record<string, unknown>;
    return { msg, account, provider, message: (err as Error).message };
  });

it("pays the other accounts if one has a fault, and logs that once as long as it lasts", async () => {
  await app.records.change("payment", 1, { steps: null as never });
  let elapsedMs = 0;
  const jobs = newJobs(app.services, () => elapsedMs);
  const round = async () => {
    // A provider takes its time, so a round needs several passes.
    for (let passes = 0; passes < 20; passes += 1) await jobs.pass();
    elapsedMs += 60_000;
  };
  const fault = {
    msg: "payments can't be sent or asked about",
    account: "acme",
    provider: "wise",
    message: "payment.steps is not iterable",
  };
  await round();
  expect([paid(), logged()]).toEqual([["joe@example.com"], [fault]]);
  app.setNow("2026-03-04T06:00:00.000Z");
  await round();
  expect(logged()).toEqual([fault]);
});
