import { afterEach, beforeEach, expect, it } from "vitest";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { company, invalid, outcome } from "../../support/v2.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const VIEW = {
  id: 1,
  list: "leads",
  name: "To approve",
  filters: { state: "pending", sort: "created_at" },
  created_at: NOW,
  updated_at: NOW,
};
const INPUT = { list: "leads", name: "To approve", filters: VIEW.filters };
const call = (request: string, body?: unknown) => outcome(company(app, request, body));
const MISSING = { status: 404, body: { message: "Saved view not found.", code: "not_found" } };

it("are saved, listed by list and name, changed and deleted", async () => {
  expect(await call("POST /saved_views", INPUT)).toEqual({ status: 201, body: VIEW });
  const other = { ...VIEW, id: 2, name: "All of Acme", filters: {} };
  expect(await call("POST /saved_views", { ...INPUT, name: "All of Acme", filters: {} })).toEqual({
    status: 201,
    body: other,
  });
  const payouts = { ...VIEW, id: 3, list: "payouts" };
  await call("POST /saved_views", { ...INPUT, list: "payouts" });
  expect(await call("GET /saved_views")).toEqual({ status: 200, body: [other, VIEW, payouts] });
  expect(await call("GET /saved_views?filters[list]=payouts")).toEqual({ status: 200, body: [payouts] });
  const renamed = { ...VIEW, name: "Waiting" };
  expect(await call("PUT /saved_views/1", { name: "Waiting" })).toEqual({ status: 200, body: renamed });
  expect(await call("DELETE /saved_views/1")).toEqual({ status: 200, body: renamed });
  expect(await call("DELETE /saved_views/1")).toEqual(MISSING);
  expect(await call("PUT /saved_views/1", { name: "x" })).toEqual(MISSING);
  expect((await call("GET /audit_log?filters[entity]=saved_view")).body).toMatchObject([
    { action: "deleted", entity_id: "1" },
    { action: "updated", entity_id: "1" },
    { action: "created", entity_id: "3", entity_name: "To approve" },
    { action: "created" },
    { action: "created" },
  ]);
});

it("keep no search text, which may name a person", async () => {
  const filters = { ...VIEW.filters, q: "sam@example.com", page: "3" };
  expect(await call("POST /saved_views", { ...INPUT, filters })).toEqual({ status: 201, body: VIEW });
  expect(await call("PUT /saved_views/1", { filters })).toEqual({ status: 200, body: VIEW });
});

it("have a name of their own in their list", async () => {
  await call("POST /saved_views", INPUT);
  await call("POST /saved_views", { ...INPUT, name: "Other" });
  const taken = invalid({ name: ["has already been taken"] }, 400);
  expect(await call("POST /saved_views", { ...INPUT, name: "to APPROVE" })).toEqual(taken);
  expect(await call("PUT /saved_views/2", { name: "To approve" })).toEqual(taken);
  expect(await call("POST /saved_views", { list: "webhooks", name: " ", filters: { a: 1 } })).toEqual(
    invalid({
      list: ["is not one of audit_log, commissions, invoices, leads, payouts, promoters, signatures"],
      name: ["can't be blank"],
      "filters[a]": ["is invalid"],
    }),
  );
});
