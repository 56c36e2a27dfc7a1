import { afterEach, beforeEach, expect, it } from "vitest";
import { newJobs } from "../../../server/process/jobs.ts";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { agreeTo, turnInvoicesOn } from "../../support/invoices.ts";
import { addPayout } from "../../support/payouts.ts";
import { visitingPromoter, type PortalBrowser } from "../../support/portal.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { company } from "../../support/v2.ts";

let vies: Receiver;
let app: TestApp;
let jane: PortalBrowser & { id: number };
beforeEach(async () => {
  vies = await startReceiver();
  app = await startApp("memory", { viesUrl: vies.url });
  jane = await visitingPromoter(app, "jane@example.com", { first_name: "Jane", last_name: "Doe" });
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
  await vies.close();
});

/** The rest of an answer, of which nothing is kept. */
const TRADER = { name: "DOE MEDIA", address: "HAUPTSTR. 1", requestDate: NOW, requestIdentifier: "" };
const says = (answer: object, status = 200) =>
  vies.answer((response, { body }) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...body, ...answer }));
  });
const UNAVAILABLE = { actionSucceed: false, errorWrappers: [{ error: "MS_UNAVAILABLE" }] };

const save = async (details: object) => {
  expect((await jane.outcome("PUT /invoice_details", details)).status).toBe(200);
  await app.services.afterwards.settle();
};
/** What the portal and the company's page say. They say the same. */
const shown = async () => {
  const pick = ({ vat_id_status, vat_id_checked_at }: Record<string, unknown>) => [
    vat_id_status,
    vat_id_checked_at,
  ];
  const own = (await jane.outcome("GET /invoice_details")).body as Record<string, unknown>;
  const { profile } = (await company(app, `GET /promoters/${jane.id}`)).body as {
    profile: Record<string, unknown>;
  };
  expect(pick(profile)).toEqual(pick(own));
  return pick(own);
};
const asked = () => vies.received.map(({ body }) => body);
/** Runs the jobs, as a server does that has just started. */
const runJobs = async (now: string, passes = 4) => {
  app.setNow(now);
  const jobs = newJobs(app.services, () => 0);
  for (let pass = 0; pass < passes; pass++) await jobs.pass();
  await jobs.stop();
};

const DETAILS = { address: "Hauptstr. 1, Berlin", country: "DE", vat_id: "DE 123.456.789" };
const GERMAN = { countryCode: "DE", vatNumber: "123456789" };

it("asks VIES once about a saved number, and keeps the result and its date alone", async () => {
  says({ valid: true, ...TRADER });
  await save(DETAILS);
  expect(await shown()).toEqual(["valid", NOW]);
  expect([asked(), vies.received[0]!.path]).toEqual([[GERMAN], "/hook/check-vat-number"]);
  await save({ ...DETAILS, vat_id: "DE123456789", address: "Hauptstr. 2" });
  await runJobs("2026-03-08T00:00:00.000Z");
  expect([asked(), await shown()]).toEqual([[GERMAN], ["valid", NOW]]);
  const kept = JSON.stringify(await app.records.get("promoter", jane.id));
  expect(kept).not.toMatch(/DOE MEDIA|HAUPTSTR/);
});

it.each([
  ["GR", "EL123456789", { countryCode: "EL", vatNumber: "123456789" }],
  ["GB", "XI 123456789", { countryCode: "XI", vatNumber: "123456789" }],
  ["GB", "GB123456789", null],
  ["US", "DE123456789", null],
])("asks about a number of %s, %s, as %j", async (country, vat_id, question) => {
  says({ valid: true });
  await save({ country, vat_id });
  expect(asked()).toEqual(question === null ? [] : [question]);
  expect(await shown()).toEqual(question === null ? [null, null] : ["valid", NOW]);
});

it("warns of a number that VIES does not know before a draft is finalized, and does not stop it", async () => {
  says({ valid: false, ...TRADER });
  await turnInvoicesOn(app);
  await company(app, `PUT /promoters/${jane.id}`, { profile: DETAILS });
  await app.services.afterwards.settle();
  expect(await shown()).toEqual(["invalid", NOW]);
  const promoter = (await app.records.get("promoter", jane.id))!;
  await addPayout(app.context, promoter, { status: "completed" });
  await company(app, "POST /invoices", { ids: [1] });
  const warnings = ["VIES does not know the promoter's VAT number DE 123.456.789"];
  const draft = async () => (await company(app, "GET /invoices/1")).body;
  expect(await draft()).toMatchObject({ status: "draft", warnings });
  await agreeTo(app, promoter);
  expect(await draft()).toMatchObject({ missing: [], warnings });
  await company(app, "POST /invoices/finalize", { ids: [1] });
  expect(await draft()).toMatchObject({ number: "AFF-2026-000001", warnings: [] });
  // A company that has registered meanwhile is found a week later.
  says({ valid: true });
  await runJobs("2026-03-11T05:06:07.000Z");
  expect(await shown()).toEqual(["invalid", NOW]);
  await runJobs("2026-03-11T05:06:08.000Z");
  expect(await shown()).toEqual(["valid", "2026-03-11T05:06:08.000Z"]);
});

it.each<[string, () => void]>([
  ["a country is unavailable", () => says(UNAVAILABLE)],
  ["it has an error", () => says(UNAVAILABLE, 500)],
  ["it says why a number is not valid", () => says({ valid: false, userError: "MS_UNAVAILABLE" })],
  ["it does not answer in JSON", () => vies.answer((response) => response.end("<html>"))],
  ["it leads elsewhere", () => vies.answer((response) => response.writeHead(307, { location: "/" }).end())],
  ["it can't be reached", () => vies.answer((response) => response.destroy())],
])("asks again with growing pauses while %s", async (_, fail) => {
  fail();
  await save(DETAILS);
  expect(await shown()).toEqual(["unknown", null]);
  await runJobs("2026-03-04T06:00:00.000Z");
  expect(vies.received).toHaveLength(1);
  await runJobs("2026-03-04T06:10:00.000Z");
  await runJobs("2026-03-04T08:09:00.000Z");
  expect(vies.received).toHaveLength(2);
  says({ valid: true });
  await runJobs("2026-03-04T08:10:00.000Z");
  expect(await shown()).toEqual(["valid", "2026-03-04T08:10:00.000Z"]);
});

it("asks about at most fifty numbers a round, about one if VIES is down, and about none of archived promoters", async () => {
  says(UNAVAILABLE);
  for (let index = 0; index < 53; index++) {
    const profile = { country: "DE", vat_id: `DE${123_456_700 + index}` };
    await company(app, "POST /promoters", { email: `joe-${index}@example.com`, profile });
  }
  await app.services.afterwards.settle();
  await company(app, "POST /promoters/archive", { ids: [jane.id + 1] });
  const round = async (now: string) => {
    vies.received.length = 0;
    await runJobs(now, 60);
    return vies.received.length;
  };
  expect(await round("2026-03-04T07:00:00.000Z")).toBe(50);
  expect(await round("2026-03-04T07:00:00.000Z")).toBe(2);
  vies.answer((response) => response.destroy());
  expect(await round("2026-03-05T07:00:00.000Z")).toBe(1);
  expect(await round("2026-03-05T07:00:00.000Z")).toBe(1);
});

/** Answers nothing until the answer about a number is released. */
const holdAnswers = () => {
  const held = new Map<unknown, (answer: object) => void>();
  vies.answer((response, { body }) => {
    held.set(body["vatNumber"], (answer) => void response.end(JSON.stringify(answer)));
  });
  return (number: string, answer: object) => held.get(number)!(answer);
};
const stored = async () => (await app.records.get("promoter", jane.id))!;

it("drops an answer about a number that was changed meanwhile", async () => {
  const release = holdAnswers();
  await jane.outcome("PUT /invoice_details", DETAILS);
  await vies.has(1);
  await jane.outcome("PUT /invoice_details", { vat_id: "DE987654321" });
  await vies.has(2);
  release("987654321", UNAVAILABLE);
  // The store answers without a turn of the event loop, which the socket needs.
  while ((await shown())[0] !== "unknown") await new Promise((next) => void setImmediate(next));
  // The new number is due again, so that only its difference makes the answer wrong.
  app.setNow("2026-03-04T07:00:00.000Z");
  release("123456789", { valid: true });
  await app.services.afterwards.settle();
  expect(await shown()).toEqual(["unknown", null]);
  expect(JSON.stringify(await stored())).not.toContain("123456789");
});

it("keeps nothing of a number that was cleared, or got another country", async () => {
  const release = holdAnswers();
  await jane.outcome("PUT /invoice_details", DETAILS);
  await vies.has(1);
  await jane.outcome("PUT /invoice_details", { vat_id: null });
  release("123456789", { valid: true });
  await app.services.afterwards.settle();
  expect((await stored()).vat_check).toBeUndefined();
  says({ valid: true });
  await save(DETAILS);
  expect(await shown()).toEqual(["valid", NOW]);
  await save({ country: "US" });
  expect([await shown(), (await stored()).vat_check]).toEqual([[null, null], undefined]);
});

it("is removed by an erasure, also if VIES answers only then", async () => {
  says({ valid: true });
  await save(DETAILS);
  const kim = await visitingPromoter(app, "kim@example.com");
  const release = holdAnswers();
  await kim.outcome("PUT /invoice_details", { country: "DE", vat_id: "DE987654321" });
  await vies.has(2);
  for (const { id } of [jane, kim])
    expect((await company(app, `POST /promoters/${id}/erase`)).status).toBe(200);
  release("987654321", { valid: true });
  await app.services.afterwards.settle();
  for (const { id } of [jane, kim])
    expect(JSON.stringify(await app.records.get("promoter", id))).not.toMatch(/123456789|987654321|vatCheck/);
});

it("asks nobody if it is turned off", async () => {
  const quiet = await startApp();
  await company(quiet, "POST /promoters", { email: "joe@example.com", profile: DETAILS });
  await quiet.services.afterwards.settle();
  expect((await company(quiet, "GET /promoters/1")).body).toMatchObject({ profile: { vat_id_status: null } });
  await quiet.close();
});
