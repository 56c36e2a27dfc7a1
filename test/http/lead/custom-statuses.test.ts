import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answerOf, KEY, NOW, startApp, STORAGES, type TestApp } from "../../support/app.ts";
import { company, invalid, join, outcome } from "../../support/v2.ts";
import { addUser, callAs } from "../../support/users.ts";

const PATH = "/api/admin/v1/custom_referral_statuses";
const SENT = {
  id: 1,
  name: "Offer sent",
  description: null,
  order: 2,
  company_id: 1,
  created_at: NOW,
  updated_at: NOW,
};
const CALLED = { ...SENT, id: 2, name: "Called", description: "By phone", order: 1 };

describe.each(STORAGES)("custom referral statuses on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const call = async (method: string, body?: unknown) => {
    const { status, body: answered } = await answerOf(
      await app.request(method === "GET" ? PATH : `${PATH}/update`, {
        method,
        headers: {
          authorization: `Bearer ${KEY}`,
          "account-id": "acme",
          "content-type": "application/json",
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    return { status, body: answered };
  };
  const change = (...statuses: object[]) => call("PUT", { custom_referral_statuses: statuses });
  const make = () =>
    change({ name: "Offer sent", order: 2 }, { name: "Called", description: "By phone", order: 1 });
  const lead = (request: string, body?: unknown) => outcome(company(app, request, body));

  it("are made, changed and removed; those that are left out stay", async () => {
    expect(await call("GET")).toEqual({ status: 200, body: [] });
    expect(await make()).toEqual({ status: 200, body: [CALLED, SENT] });
    expect(await call("GET")).toEqual({ status: 200, body: [CALLED, SENT] });
    // They exchange their names.
    const swapped = [
      { ...CALLED, name: "Offer sent" },
      { ...SENT, name: "Called" },
    ];
    expect(
      await change({ id: 1, name: "Called", order: 2 }, { id: 2, name: "Offer sent", order: 1 }),
    ).toEqual({ status: 200, body: swapped });
    expect(await change({ id: 2, name: "Offer sent", order: 1, _destroy: true })).toEqual({
      status: 200,
      body: [swapped[1]],
    });
    const { body: log } = await lead("GET /audit_log?filters[entity]=custom_referral_status");
    expect((log as { action: string }[]).map(({ action }) => action)).toEqual([
      "deleted",
      "updated",
      "updated",
      "created",
      "created",
    ]);
  });

  it("refuse wrong input, and then change nothing", async () => {
    await make();
    expect(await change({ name: " " })).toEqual(
      invalid({
        "custom_referral_statuses[name]": ["can't be blank"],
        "custom_referral_statuses[order]": ["can't be blank"],
      }),
    );
    expect(await change({ name: "New", order: 3 }, { name: "CALLED", order: 4 })).toEqual(
      invalid({ name: ["has already been taken"] }, 400),
    );
    expect(await change({ name: "New", order: 3 }, { id: 9, name: "Other", order: 4 })).toEqual({
      status: 404,
      body: { message: "Custom referral status not found.", code: "not_found" },
    });
    expect(await call("GET")).toEqual({ status: 200, body: [CALLED, SENT] });
  });

  it("are given to leads, filter them, and go with the status", async () => {
    await make();
    await join(app, "jane@example.com", { ref_id: "jane" });
    for (const name of ["sam", "kim"])
      await app.v1("/track/signup", { email: `${name}@example.com`, ref_id: "jane" });
    const given = await lead("PUT /referrals/1", { custom_status_id: 1 });
    expect(given).toMatchObject({ status: 200, body: { id: 1, custom_status: "Offer sent" } });
    const listed = async (query: string) =>
      ((await lead(`GET /referrals?${query}`)).body as { id: number; custom_status: string | null }[]).map(
        ({ id, custom_status: status }) => [id, status],
      );
    expect(await listed("")).toEqual([
      [1, "Offer sent"],
      [2, null],
    ]);
    expect(await listed("filters[custom_status_id]=1")).toEqual([[1, "Offer sent"]]);
    expect(await listed("filters[custom_status_id]=2")).toEqual([]);
    const before = await lead("GET /referrals/1");
    expect(await lead("PUT /referrals/1", { custom_status_id: 9, uid: "new" })).toEqual(
      invalid({ custom_status_id: ["names no status: 9"] }),
    );
    expect(await lead("GET /referrals/1")).toEqual(before);
    // Another change keeps it.
    expect((await lead("PUT /referrals/1", { uid: "cus_1" })).body).toMatchObject({
      custom_status: "Offer sent",
    });
    expect((await lead("PUT /referrals/1", { custom_status_id: null })).body).toMatchObject({
      custom_status: null,
    });
    expect(await listed("filters[custom_status_id]=1")).toEqual([]);
    await lead("PUT /referrals/2", { custom_status_id: 2 });
    await change({ id: 2, name: "Called", order: 1, _destroy: true });
    expect(await listed("ids=2")).toEqual([[2, null]]);
  });
});

it("have the same operations for the dashboard", async () => {
  const app = await startApp();
  const asRole = async (role: "viewer" | "manager") => callAs(app, await addUser(app, role));
  const manager = await asRole("manager");
  const viewer = await asRole("viewer");
  const body = { custom_referral_statuses: [{ name: "Offer sent", order: 2 }] };
  expect(await outcome(manager("PUT /custom_referral_statuses", body))).toEqual({
    status: 200,
    body: [SENT],
  });
  expect(await outcome(viewer("GET /custom_referral_statuses"))).toEqual({ status: 200, body: [SENT] });
  await app.close();
});
