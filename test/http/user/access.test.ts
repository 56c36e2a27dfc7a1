import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withMaskedDetails } from "../../../server/v2/payout/masked-details.ts";
import { V2_OPERATIONS } from "../../../server/v2/operations.ts";
import { KEY, startApp, type TestApp } from "../../support/app.ts";
import { addUser, callAs, callWith, type SessionCall } from "../../support/users.ts";
import { outcome } from "../../support/v2.ts";

const ROLES = ["viewer", "manager", "owner"] as const;
/** Every operation below `/api/v2/company`, by the least that its caller must be. */
const TABLE = {
  person: `
    GET /session
    DELETE /session
    PUT /session
    PUT /session/password
    POST /session/second_factor
    POST /session/second_factor/confirm
    DELETE /session/second_factor
    GET /session/sessions
    DELETE /session/sessions/:id`,
  viewer: `
    GET /promoters/:id
    GET /promoter_campaigns
    GET /promoter_campaigns/search
    GET /payouts
    GET /payouts/group_by_promoters
    GET /promoters
    GET /batch_processes
    GET /batch_processes/progress
    GET /batch_processes/:id
    GET /promo_codes
    GET /promo_codes/:id
    GET /campaigns
    GET /campaigns/:id
    GET /campaigns/:id/email_preview
    GET /rewards
    GET /referrals
    GET /referrals/:id
    GET /referrals/:id/timeline
    POST /rewards/preview
    GET /promoters/:id/chart_data
    GET /promoter_campaigns/:id/chart_data
    GET /promoter_campaigns/:id/referral_links
    GET /home
    GET /setup
    GET /switch
    GET /reports/overview
    GET /reports/campaigns
    GET /reports/promoters
    GET /reports/traffic_sources
    GET /reports/urls
    GET /reports/download
    GET /dashboards/stats
    GET /dashboards/trendings
    GET /dashboards/chart_data
    GET /dashboards/payouts_and_commissions
    GET /saved_views
    GET /contract_documents
    GET /contract_documents/:id
    GET /contracts
    GET /contracts/:id
    GET /custom_referral_statuses
    GET /assets
    GET /assets/:id
    GET /assets/categories
    GET /brand
    GET /brand/colors
    GET /emails
    GET /emails/:id
    GET /emails/template
    GET /emails/triggers
    POST /emails/preview
    GET /products
    GET /products/:id
    GET /commissions
    GET /payouts/stats
    GET /payouts/due_stats
    GET /payout_runs
    GET /payout_runs/preview
    GET /payments_batches
    GET /payments_batches/:id/files
    GET /payments
    GET /payout_holds
    GET /bank_forms
    GET /books
    GET /invoices
    GET /invoices/:id
    GET /invoices/:id/pdf
    GET /invoices/template
    POST /invoices/preview_template
    GET /invoices/preview
    GET /invoicing
    GET /payout_methods
    GET /payout_methods/:id
    GET /account
    GET /audit_log
    GET /audit_log/download
    GET /billing
    GET /billing/events
    GET /billing/providers
    GET /mail
    GET /payment_connections
    GET /rates
    GET /waiting_events
    GET /webhooks
    GET /webhooks/event_types
    GET /webhooks/:id
    GET /webhooks/:webhook_id/webhook_deliveries
    GET /webhooks/:webhook_id/webhook_deliveries/:id`,
  manager: `
    PUT /promoter_campaigns/:id
    PATCH /promoter_campaigns/:id
    POST /promo_codes
    PUT /promo_codes/:id
    PATCH /promo_codes/:id
    POST /promoters
    POST /promoters/invite
    PUT /promoters/:id
    PATCH /promoters/:id
    POST /promoters/:id/portal_view
    POST /promoters/:id/sign_out
    POST /promoters/accept
    POST /promoters/reject
    POST /promoters/block
    POST /promoters/archive
    POST /promoters/restore
    POST /promoters/move_to_campaign
    POST /promoters/add_to_campaign
    POST /promoters/assign_parent
    DELETE /promo_codes/:id
    POST /campaigns
    PUT /campaigns/:id
    PATCH /campaigns/:id
    DELETE /campaigns/:id
    POST /rewards
    PUT /rewards/:id
    PATCH /rewards/:id
    POST /rewards/:id/hide
    POST /referrals
    DELETE /referrals
    PUT /referrals/:id
    PATCH /referrals/:id
    POST /referrals/approve
    POST /referrals/disable
    POST /referrals/enable
    POST /referrals/move_to_promoter
    POST /referrals/:id/import_events
    POST /referrals/:id/refund
    PUT /custom_referral_statuses
    POST /saved_views
    PUT /saved_views/:id
    DELETE /saved_views/:id
    POST /contracts
    PUT /contracts/:id
    PATCH /contracts/:id
    DELETE /contracts/:id
    POST /assets
    PUT /assets/:id
    PATCH /assets/:id
    PUT /assets/categories
    PUT /assets/update_category
    DELETE /assets/destroy
    PUT /brand
    PUT /brand/logo
    DELETE /brand/logo
    PUT /brand/favicon
    DELETE /brand/favicon
    POST /emails
    PUT /emails/:id
    DELETE /emails/:id
    POST /emails/:id/copy
    POST /emails/:id/send_now
    POST /emails/:id/send_test
    PATCH /emails/custom_template
    POST /emails/test_custom_template
    POST /products
    PUT /products/:id
    PATCH /products/:id
    DELETE /products/:id
    POST /commissions
    PUT /commissions/:id
    PATCH /commissions/:id
    POST /commissions/approve
    POST /commissions/deny
    POST /commissions/mark_fulfilled
    POST /commissions/mark_unfulfilled
    DELETE /commissions/destroy
    POST /commissions/generate_payouts
    POST /setup/script
    GET /books/download
    GET /invoices/export
    GET /invoices/export_zip
    GET /invoices/zip
    GET /exports/promoters
    GET /exports/referrals
    GET /exports/commissions
    GET /exports/payouts
    GET /exports/links
    POST /imports
    PUT /switch
    POST /switch/mail_links
    POST /mail/test
    POST /rates
    DELETE /waiting_events/:id
    POST /webhooks
    POST /webhooks/test
    PUT /webhooks/:id
    PATCH /webhooks/:id
    DELETE /webhooks/:id
    POST /webhooks/:id/rotate_secret
    POST /webhooks/:id/test
    POST /webhooks/:webhook_id/webhook_deliveries/:id/retry_delivery`,
  owner: `
    GET /exports/everything
    POST /payouts/mark_as_paid
    POST /payouts/mark_as_unpaid
    POST /payouts/mark_as_failed
    POST /payouts/cancel
    DELETE /payouts/destroy
    POST /payout_methods
    PUT /payout_methods/:id
    PATCH /payout_methods/:id
    DELETE /payout_methods/:id
    POST /payouts/create_payments_batch
    POST /payments_batches/:id/pay
    GET /payments_batches/:id/file
    GET /payments_batches/:id/plan
    GET /bank_account
    PUT /bank_account
    POST /payments_batches/:id/approve
    POST /payments_batches/:id/send
    POST /payments/:id/decide
    POST /promoters/:id/release_payouts
    POST /promoters/:id/sign_in_link
    POST /promoters/:id/first_password
    POST /invoices
    POST /invoices/void
    POST /invoices/finalize
    DELETE /invoices/destroy
    PUT /invoices/custom_template
    PUT /invoicing
    GET /tax_forms/export
    GET /tax_forms/iris
    POST /payment_connections
    PUT /payment_connections
    DELETE /payment_connections
    DELETE /payments_batches/:id
    GET /migrations
    POST /migrations
    GET /migrations/:id
    GET /migrations/:id/report
    POST /promoters/:id/erase
    POST /referrals/:id/erase
    GET /users
    POST /users
    PUT /users/:id
    PATCH /users/:id
    DELETE /users/:id
    POST /users/:id/reset
    GET /api_keys
    POST /api_keys
    DELETE /api_keys/:id
    PUT /account
    PATCH /account
    POST /billing
    POST /billing/sync
    POST /billing/test
    DELETE /billing`,
};
const lines = (text: string) => text.trim().split(/\s*\n\s*/);
const ROWS = Object.entries(TABLE).flatMap(([least, text]) =>
  lines(text).map((line) => [line, least as keyof typeof TABLE] as const),
);

let app: TestApp;
const calls = new Map<string, SessionCall>();
beforeAll(async () => {
  app = await startApp();
  for (const role of ROLES) calls.set(role, await callAs(app, await addUser(app, role)));
});
afterAll(() => app.close());

it("the table has every operation of the company", () => {
  const served = V2_OPERATIONS.filter(([, path]) => path.startsWith("/api/v2/company/")).map(
    ([method, path]) => `${method} ${path.replace("/api/v2/company", "")}`,
  );
  expect(ROWS.map(([line]) => line).toSorted()).toEqual(served.toSorted());
});

describe("the least that a caller must be for", () => {
  // Nothing has this id, so that no call changes anything that the next one needs.
  const requestOf = (line: string) => line.replaceAll(/:\w+/g, "999999");
  // Signing out would end the session that the next call needs.
  const rows = ROWS.filter(([line]) => line !== "DELETE /session");

  it.each(rows)("%s is for %s and above", async (line, least) => {
    for (const role of ROLES) {
      const call = calls.get(role)!;
      const { status, body } = await call(requestOf(line), line.startsWith("GET") ? undefined : {});
      const isAllowed = least === "person" || ROLES.indexOf(role) >= ROLES.indexOf(least);
      const refusal = `This needs the role ${least}, and you are a ${role}`;
      if (isAllowed) expect([401, 403]).not.toContain(status);
      else
        expect({ status, body }).toMatchObject({
          status: 403,
          body: { message: refusal, code: "forbidden" },
        });
    }
    const message = least === "person" ? "No user is signed in" : "Bad credentials";
    const errors = line.includes("/promoter_campaigns") && { errors: {} };
    expect(await outcome(callWith(app, null)(requestOf(line)))).toEqual({
      status: 401,
      body: { message, code: "unauthorized", ...errors },
    });
    expect(app.bugs).toEqual([]);
  });

  it.each(
    V2_OPERATIONS.filter(([, path]) => !path.startsWith("/api/v2/company/")).map((row) => [row[0], row[1]]),
  )("%s %s is a program with a key", async (method, path) => {
    const { status } = await app.request(path, {
      method,
      headers: { cookie: "tidemark_admin=any", "content-type": "application/json" },
      ...(method !== "GET" && { body: "{}" }),
    });
    expect(status).toBe(401);
  });
});

describe("a viewer", () => {
  it("sees no secrets", async () => {
    await app.v1("/promoters/create", { email: "jane@example.com" });
    const made = await app.v2("POST", "/webhooks", {
      url: "https://hooks.example.com/",
      event_types: ["promoter.created"],
      headers: { "X-Token": "secret" },
    });
    const { id } = made.body as { id: number };
    const owner = await calls.get("owner")!(`GET /webhooks/${id}`);
    expect(owner.body).toMatchObject({ headers: { "X-Token": "secret" } });
    const viewer = await calls.get("viewer")!(`GET /webhooks/${id}`);
    expect(viewer.body).toEqual({ ...(owner.body as object), headers: { "X-Token": "" } });
  });
});

describe("the details of a payout method", () => {
  const DETAILS = { bank_country: "DE", account_holder_name: "Jane", iban: "DE02120300000000202051" };

  it("are whole for owners and keys, and the last four characters for others", async () => {
    await app.v1("/promoters/create", { email: "jane@example.com" });
    const path = "/payout_methods?filters[promoter_id]=1";
    const given = { promoter_id: 1, method: "bank", is_selected: true, details: DETAILS };
    const { body: made } = await app.v2("POST", "/payout_methods", given);
    expect(made).toMatchObject({ details: DETAILS });
    expect((await app.v2("GET", path)).body).toEqual([made]);
    expect((await calls.get("owner")!(`GET ${path}`)).body).toEqual([made]);
    const { details, ...rest } = made as { details: object };
    const masked = { ...details, account_holder_name: "…", iban: "…2051" };
    for (const role of ["manager", "viewer"] as const)
      expect((await calls.get(role)!(`GET ${path}`)).body).toEqual([{ ...rest, details: masked }]);
  });

  it("are masked in the log of webhooks, with what a receiver repeats of them", async () => {
    const delivery = {
      response_body: JSON.stringify(DETAILS),
      object_changes: { details: [{ iban: "DE75512108001245126199" }, DETAILS] },
      payload: { data: { managed_payouts: false, details: DETAILS } },
    };
    const masked = { bank_country: "DE", account_holder_name: "…", iban: "…2051" };
    expect(withMaskedDetails([delivery, { response_body: "ok", payload: {} }])).toEqual([
      {
        response_body: null,
        object_changes: { details: [{ iban: "…6199" }, masked] },
        payload: { data: { managed_payouts: false, details: masked } },
      },
      { response_body: "ok", payload: {} },
    ]);
  });
});

it("a key may do everything that is not a person's own", async () => {
  const headers = { authorization: `Bearer ${KEY}`, "account-id": "acme" };
  for (const [line, least] of ROWS) {
    const { status } = await callWith(app, null)(line.replaceAll(/:\w+/g, "999999"), undefined, headers);
    if (least === "person") expect({ line, status }).toEqual({ line, status: 403 });
    else expect([401, 403]).not.toContain(status);
  }
});
