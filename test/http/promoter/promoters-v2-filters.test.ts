import { afterEach, beforeEach, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { addPromoter, changeAccount } from "../../support/payouts.ts";
import type { RecordOf } from "../../support/records.ts";

let app: TestApp;
let jane: RecordOf<"promoter">;
let bob: RecordOf<"promoter">;
beforeEach(async () => {
  app = await startApp();
  const account = await changeAccount(app.context, app.account_id, {});
  jane = await addPromoter(app.context, account, {
    email: "jane@example.com",
    skip_email_notification: true,
  });
  bob = await addPromoter(app.context, account, { email: "bob@example.com" });
});
afterEach(() => app.close());

async function ids(query: string): Promise<number[]> {
  const { status, body } = await app.v2("GET", `/promoters?${query}`);
  expect([query, status, app.bugs]).toEqual([query, 200, []]);
  return (body as { data: { id: number }[] }).data.map(({ id }) => id);
}

const field = (key: string, operator: string, value: string) =>
  `filters[custom_field1][key]=${key}&filters[custom_field1][operator]=${operator}&filters[custom_field1][value]=${value}`;

it("accepts custom fields of any shape, and finds nobody by properties that every object has", async () => {
  const odd = { a: { toString: 1, valueOf: 1 }, b: ["Gold", null] };
  await app.v2("PUT", `/promoters/${jane.id}`, { custom_fields: odd });
  expect(await ids(field("a", "exact", "x"))).toEqual([]);
  expect(await ids(field("a", "partial", "valueof"))).toEqual([jane.id]);
  expect(await ids(field("b", "exact", "gold"))).toEqual([jane.id]);
  expect(await ids(field("constructor", "partial", "native"))).toEqual([]);
  expect(await ids(field("__proto__", "partial", "object"))).toEqual([]);
});

it("filters by tax forms, drip e-mails and inactivity", async () => {
  const link = { email: "lead@example.com", ref_id: "jane" };
  expect((await app.v1("/track/signup", link)).status).toBe(200);
  expect(await ids("filters[has_wform]=yes")).toEqual([]);
  expect(await ids("filters[has_wform]=no")).toEqual([jane.id, bob.id]);
  expect(await ids("filters[subscribed_to_email]=true")).toEqual([bob.id]);
  const inactive = (days: number) =>
    ids(`filters[inactivity][metric]=referral&filters[inactivity][days]=${days}`);
  expect(await inactive(7)).toEqual([bob.id]);
  app.setNow("2026-03-20T00:00:00.000Z");
  expect(await inactive(7)).toEqual([jane.id, bob.id]);
  expect(await inactive(30)).toEqual([bob.id]);
  const refused = await app.v2(
    "GET",
    "/promoters?filters[inactivity][metric]=luck&filters[inactivity][days]=1",
  );
  expect([refused.status, Object.keys((refused.body as { errors: object }).errors)]).toEqual([
    422,
    ["filters[inactivity][metric]"],
  ]);
});
