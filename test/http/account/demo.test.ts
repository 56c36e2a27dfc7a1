import { afterEach, beforeEach, expect, it } from "vitest";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { makeReward, offer } from "../../support/money.ts";

const TID = "7f1b2c3d-1111-4222-8333-444455556666";
const EMAIL = "lead@example.com";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
  await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
  await offer(app, await makeReward(app));
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const recorded = async (tid = TID) =>
  (await app.request(`/demo/recorded?${new URLSearchParams({ email: EMAIL, tid })}`)).json();

it.each([
  [
    "by the demo page",
    "https://track.acme.example/demo?via=jane",
    [
      {
        event_id: "inv_1",
        amount_cents: 10_000,
        earned: [{ amount: 1000, unit: "cash", status: "approved" }],
      },
    ],
  ],
  ["by another page", "https://www.acme.example/?via=jane", []],
])("shows visitors who came %s their sign-up and their own sales", async (_, url, sales) => {
  await app.browser("/t/click", { tid: TID, ref_id: "jane", url });
  await app.v1("/track/signup", { email: EMAIL, tid: TID });
  await app.v1("/track/sale", { email: EMAIL, event_id: "inv_1", amount: "10000" });
  expect(await recorded()).toEqual({
    lead: {
      id: 1,
      email: EMAIL,
      state: "active",
      suspicion: "no_suspicion",
      promoter: "Jane",
      created_at: NOW,
      sales,
    },
  });
  expect(await recorded(TID.replace("7", "8"))).toEqual({ lead: null });
});
