import { afterEach, beforeEach, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { former } from "../../support/former-program.ts";
import { importInto } from "../../support/migrations.ts";

const TID = "7f1b2c3d-1111-4222-8333-444455556666";
const NOBODY = { status: "refused", tid: null, ref_id: null, cookie_days: 0, has_cookies: false };

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
  const link = (token: string) => [{ id: `l-${token}`, token, url: null, clicks: 0 }];
  await importInto(app, [
    former.campaign({ id: "c1", is_default: true }),
    former.promoter({ id: "pn_1Ab", email: "jane@example.com" }),
    former.promoter({ id: "pn_1aB", email: "bob@example.com" }),
    former.promoter({ id: "pn_gone" }),
    former.place({ id: "m1", promoter_id: "pn_1Ab", campaign_id: "c1", links: link("jane") }),
    former.place({ id: "m2", promoter_id: "pn_1aB", campaign_id: "c1", links: link("bob") }),
    former.place({
      id: "m3",
      promoter_id: "pn_gone",
      campaign_id: "c1",
      state: "blocked",
      links: link("eve"),
    }),
    former.customer({ id: "k1", promoter_id: "pn_1aB", email: "lead@example.com" }),
  ]);
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const click = async (params: Record<string, string>) =>
  (await app.browser("/t/click", { tid: TID, ...params })).body;
const recorded = (ref_id: string) => ({
  status: "recorded",
  tid: TID,
  ref_id,
  cookie_days: 45,
  has_cookies: false,
});

it.each([
  ["a promoter", "pn_1Ab", "jane"],
  ["a promoter whose id differs in case alone", "pn_1aB", "bob"],
  ["a customer", "k1", "bob"],
])("counts a visitor for the promoter by the former program's id of %s", async (_, former_id, refId) => {
  expect(await click({ ref_id: former_id.toLowerCase(), former_id })).toEqual(recorded(refId));
});

it("prefers a ref id of ours", async () => {
  expect(await click({ ref_id: "jane", former_id: "pn_1aB" })).toEqual(recorded("jane"));
});

it.each([
  ["is unknown", "pn_1"],
  ["belongs to a promoter who gets no leads", "pn_gone"],
  ["belongs to a campaign", "c1"],
  ["is odd", "\u0000%_'\""],
])("counts nobody for an id that %s", async (_, former_id) => {
  expect(await click({ ref_id: "nobody", former_id })).toEqual(NOBODY);
});

it("counts a sign-up of someone who followed a link before the switch", async () => {
  const { body } = await app.browser("/t/signup", { tid: TID, ref_id: "k1", former_id: "k1", uid: "u1" });
  expect(body).toEqual(recorded("bob"));
});
