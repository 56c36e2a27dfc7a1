import { afterEach, beforeEach, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { addBatch, connectTo, runPaymentJob, sendAll } from "../../support/payments.ts";
import { startWiseApi, type TransferApi } from "../../support/transfer-apis.ts";
import { company } from "../../support/v2.ts";

let app: TestApp;
let wise: TransferApi;
beforeEach(async () => {
  app = await startApp();
  wise = await startWiseApi();
  await connectTo(app, "wise", wise.url);
  await addBatch(
    app,
    "wise",
    ["a@b.example", "c@d.example", "e@f.example"].map((wise_email) => ({ wise_email })),
  );
  await sendAll(app, "wise");
});
afterEach(async () => {
  await wise.close();
  await app.close();
  expect(app.bugs).toEqual([]);
});

const jobAt = async (now: string) => {
  app.setNow(now);
  await runPaymentJob(app);
};
const groups = () => wise.groups.map(({ name, status, transferIds }) => [name, status, transferIds]);

it("gathers the drafts of a batch, and closes their group once no further one comes", async () => {
  await runPaymentJob(app);
  expect(groups()).toEqual([["BATCH-1", "NEW", [1, 2, 3]]]);
  await jobAt("2026-03-05T06:00:00.000Z");
  expect(groups()).toEqual([["BATCH-1", "COMPLETED", [1, 2, 3]]]);
  await jobAt("2026-03-06T07:00:00.000Z");
  expect(wise.groups.map(({ version }) => version)).toEqual([4]);
});

it("waits with the group for a draft whose answer was lost", async () => {
  wise.fail("request lost", "paid, answer lost");
  await runPaymentJob(app);
  expect(groups()).toEqual([["BATCH-1", "NEW", [1, 2]]]);
  await jobAt("2026-03-04T05:08:07.890Z");
  expect(groups()).toEqual([["BATCH-1", "COMPLETED", [1, 2, 3]]]);
  expect(wise.paid.length).toBe(3);
});

it("puts a draft into another group if a person has closed the first one at Wise", async () => {
  wise.fail("503");
  await runPaymentJob(app);
  Object.assign(wise.groups[0]!, { status: "COMPLETED" });
  await jobAt("2026-03-04T05:08:07.890Z");
  await jobAt("2026-03-04T05:12:07.890Z");
  expect(groups()).toEqual([
    ["BATCH-1", "COMPLETED", [1, 2]],
    ["BATCH-1 (2)", "COMPLETED", [3]],
  ]);
});

it("leaves an empty group open for what is paid later", async () => {
  for (const payee of ["a@b.example", "c@d.example", "e@f.example"]) wise.refused.add(payee);
  await runPaymentJob(app);
  await jobAt("2026-03-04T05:12:07.890Z");
  expect(groups()).toEqual([["BATCH-1", "NEW", []]]);
  wise.refused.clear();
  await company(app, "PUT /payout_methods/1", { details: { wise_email: "new@b.example" } });
  await sendAll(app, "wise");
  await runPaymentJob(app);
  await jobAt("2026-03-05T06:12:07.890Z");
  expect(groups()).toEqual([["BATCH-1", "COMPLETED", [1]]]);
});
