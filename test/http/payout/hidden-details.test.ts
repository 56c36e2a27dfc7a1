import { afterEach, beforeEach, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { addPromoter, changeAccount, selectMethod } from "../../support/payouts.ts";
import { addUser, callAs, type SessionCall } from "../../support/users.ts";
import { company, outcome } from "../../support/v2.ts";

const URL = "https://eve.example/hook";
const refusal = (message: string) => ({ status: 403, body: { code: "forbidden", message } });
const NO_WEBHOOK = refusal(
  "Only an owner or an API key sets up a webhook with events of payouts or payout methods",
);

let app: TestApp;
let owner: SessionCall;
let manager: SessionCall;
beforeEach(async () => {
  app = await startApp();
  const account = await changeAccount(app.context, app.account_id, {});
  const jane = await addPromoter(app.context, account, { email: "jane@example.com" });
  await selectMethod(app.context, jane, {
    method: "paypal",
    details: { wallet_email: "jane@wallet.example" },
  });
  await addPromoter(app.context, account, { email: "joe@example.com" });
  owner = await callAs(app, await addUser(app, "owner"));
  manager = await callAs(app, await addUser(app, "manager"));
});
afterEach(async () => {
  await app.close();
  expect(app.bugs).toEqual([]);
});

it.each(["payout.updated", "payout_method.created", "payout_method.updated"])(
  "lets only owners and keys set up a webhook that gets %s",
  async (type) => {
    const wanted = { url: URL, event_types: ["referral.created", type] };
    expect(await outcome(manager("POST /webhooks", wanted))).toEqual(NO_WEBHOOK);
    expect((await owner("POST /webhooks", wanted)).status).toBe(201);
    expect((await company(app, "POST /webhooks", wanted)).status).toBe(201);
  },
);

it("lets a manager neither add such events to a webhook nor redirect one that gets them", async () => {
  const plain = { url: URL, event_types: ["referral.created", "payments_batch.updated"] };
  expect((await manager("POST /webhooks", plain)).status).toBe(201);
  const wanted = { event_types: ["payout_method.updated"] };
  expect(await outcome(manager("PUT /webhooks/1", wanted))).toEqual(NO_WEBHOOK);
  expect((await manager("PUT /webhooks/1", { description: "ours" })).status).toBe(200);
  expect((await owner("PUT /webhooks/1", wanted)).status).toBe(200);
  for (const change of [
    { url: "https://eve.example/" },
    { headers: {} },
    { event_types: ["referral.created"] },
  ])
    expect(await outcome(manager("PATCH /webhooks/1", change))).toEqual(NO_WEBHOOK);
  expect((await owner("GET /webhooks/1")).body).toMatchObject({ url: URL, ...wanted });
});

it("lets a manager not get into the portal of a promoter who has a payout method", async () => {
  for (const path of ["sign_in_link", "first_password"])
    expect((await manager(`POST /promoters/1/${path}`, { password: "first secret" })).status).toBe(403);
  expect(await outcome(manager("PUT /promoters/1", { email: "eve@example.com" }))).toEqual(
    refusal("Only an owner or an API key changes the e-mail address of a promoter who has a payout method"),
  );
  expect((await manager("PUT /promoters/1", { email: "jane@example.com", note: "n" })).status).toBe(200);
  expect((await manager("PUT /promoters/2", { email: "jo@example.com" })).status).toBe(200);
  const link = async (by: SessionCall, id: number) =>
    ((await by(`GET /promoters/${id}`)).body as { password_setup_url: string | null }).password_setup_url;
  expect([await link(manager, 1), await link(owner, 1), await link(manager, 2)]).toEqual([
    null,
    expect.stringContaining("https://"),
    expect.stringContaining("https://"),
  ]);
  expect((await owner("PUT /promoters/1", { email: "jane@new.example" })).status).toBe(200);
});

it("gives a manager no link that opens such a portal, whatever the answer leaves out", async () => {
  type Answered = { password_setup_url: unknown; promoters: Answered[]; data: Answered[] };
  const read = async (by: SessionCall, request: string, body?: unknown) =>
    (await by(request, body)).body as Answered;
  const link = expect.stringContaining("https://") as unknown;
  const short = "GET /promoters/1?exclude_payout_method=true";
  const invited = { emails: ["jane@example.com"], sends_email: false };
  // The method is no longer the selected one, and its details are still in the portal.
  await owner("POST /payout_methods", { promoter_id: 1, method: "custom", details: { at: "home" } });
  await owner("PUT /payout_methods/1", { is_selected: false });
  await owner("PUT /payout_methods/2", { is_selected: false });
  for (const [by, shown] of [
    [manager, null],
    [owner, link],
  ] as const) {
    expect((await read(by, "GET /promoters/1")).password_setup_url).toEqual(shown);
    expect((await read(by, short)).password_setup_url).toEqual(shown);
    const { promoters } = await read(by, "POST /promoters/invite", invited);
    expect(promoters.map(({ password_setup_url: url }) => url)).toEqual([shown]);
    const { data } = await read(by, "GET /promoters");
    expect(data.map(({ password_setup_url: url }) => url)).toEqual([shown, link]);
  }
});

it("keeps the company's bank account out of the audit log", async () => {
  expect((await owner("PUT /bank_account", { iban: "NL91ABNA0417164300", name: "Acme" })).status).toBe(200);
  const [{ after }] = (await manager("GET /audit_log?filters[entity]=account")).body as [{ after: unknown }];
  expect(after).toEqual({ bank_account: "hidden" });
  expect((await manager("GET /audit_log/download")).body).not.toMatch(/NL91|4300/);
});

it("lets a manager change no address while a payout method is added", async () => {
  let transactions = 0;
  let isAdded = false;
  app.stored.edge.begin = async () => {
    if (++transactions !== 2) return;
    isAdded = true;
    await owner("POST /payout_methods", { promoter_id: 2, method: "custom", details: { at: "home" } });
  };
  const { status } = await manager("PUT /promoters/2", { email: "eve@example.com" });
  expect(status).toBe(isAdded ? 403 : 200);
});
