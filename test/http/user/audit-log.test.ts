import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AUDITED } from "../../../server/domain/access/audit/audit.ts";
import { createApiKey } from "../../../server/domain/program/account/api-key.ts";
import { renameAccount } from "../../../server/domain/program/account/settings.ts";
import { eraseLead, erasePromoter } from "../../support/operations.ts";
import { newJobs } from "../../../server/process/jobs.ts";
import { newContext } from "../../../server/request/services.ts";
import { TABLES } from "../../../server/tables.ts";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { addCommission } from "../../support/commissions.ts";
import { changeAccount, addPromoter } from "../../support/payouts.ts";
import { addUser, callAs, PASSWORD } from "../../support/users.ts";
import { invalid, join, outcome, reward } from "../../support/v2.ts";

let app: TestApp;
beforeEach(async () => void (app = await startApp()));
afterEach(() => app.close());

const KEY_ACTOR = { kind: "key", id: null, name: "first" };
const COMMAND = { kind: "command_line", id: null, name: null } as const;

const log = (query = "") => app.v2("GET", `/audit_log${query}`);
const entries = async (query = "") => (await log(query)).body as Record<string, unknown>[];
const audited = () => newContext(app.services, COMMAND);

describe("the audit log", () => {
  it("shows who changed what, newest first, with what changed before and after", async () => {
    const user = await addUser(app, "manager");
    const call = await callAs(app, user);
    const { promoter_id } = await join(app, "jane@example.com", { first_name: "Jane" });
    await call(`PUT /promoters/${promoter_id}`, { cust_id: "u-1", profile: { first_name: "Janet" } });
    const [update, ...others] = await entries("?filters[entity]=promoter");
    expect(update).toEqual({
      id: expect.any(Number),
      at: NOW,
      actor: { kind: "user", id: user.id, name: "manager@acme.example" },
      action: "updated",
      entity: "promoter",
      entity_id: String(promoter_id),
      entity_name: "Janet",
      before: { cust_id: null, profile: expect.objectContaining({ first_name: "Jane" }) },
      after: { cust_id: "u-1", profile: expect.objectContaining({ first_name: "Janet" }) },
    });
    expect(others).toEqual([
      expect.objectContaining({
        actor: KEY_ACTOR,
        action: "created",
        before: null,
        after: expect.objectContaining({ email: "jane@example.com", auth_token: "hidden" }),
      }),
    ]);
  });

  it("names the command line, and the process with its jobs", async () => {
    const context = audited();
    await renameAccount(context, app.account_id, "Acme Inc.");
    const account = await changeAccount(app.context, app.account_id, {
      created_at: "2026-01-01T00:00:00.000Z",
    });
    const jane = await addPromoter(app.context, account, { email: "jane@example.com" });
    await addCommission(app.context, jane, { created_at: "2026-02-03T00:00:00.000Z" });
    const jobs = newJobs(app.services, () => 1);
    await jobs.pass();
    await jobs.pass();
    await jobs.stop();
    expect(await entries("?filters[entity]=account")).toEqual([
      expect.objectContaining({ actor: COMMAND, before: { name: "Acme" }, after: { name: "Acme Inc." } }),
    ]);
    expect(await entries("?filters[entity]=payout")).toEqual([
      expect.objectContaining({
        actor: { kind: "process", id: null, name: null },
        action: "created",
        entity_name: "jane@example.com",
        after: expect.objectContaining({ amount: 1_000, promoter_id: jane.id }),
      }),
    ]);
  });

  it("names a payout once, and the commissions that leave it", async () => {
    const account = await changeAccount(app.context, app.account_id, {});
    const jane = await addPromoter(app.context, account, { email: "jane@example.com" });
    const { id } = await addCommission(app.context, jane);
    const { length } = await entries();
    const paid = await app.v2("POST", "/commissions/generate_payouts", { ids: [id] });
    expect(paid.body).toMatchObject({ processed_count: 1 });
    expect(await entries()).toHaveLength(length + 1);
    expect(await entries("?filters[entity]=payout")).toMatchObject([{ action: "created" }]);
    const [payout] = (await app.v2("GET", "/payouts")).body as { id: number }[];
    await app.v2("DELETE", "/payouts/destroy", { ids: [payout?.id] });
    expect(await entries("?filters[entity]=commission")).toMatchObject([
      {
        action: "updated",
        entity_id: String(id),
        before: { payout_id: payout?.id },
        after: { payout_id: null },
      },
    ]);
  });

  it("does not repeat what tracking records", async () => {
    await join(app, "jane@example.com", { ref_id: "jane" });
    await reward(app);
    const { length } = await entries();
    await app.v1("/track/signup", { email: "a@example.com", ref_id: "jane" });
    await app.v1("/track/sale", { email: "a@example.com", event_id: "s1", amount: "10000" });
    await app.v1("/track/refund", { email: "a@example.com", event_id: "r1", amount: "1000" });
    await app.v1("/track/cancellation", { email: "a@example.com", event_id: "c1" });
    await app.browser("/t/click", {
      tid: "7f1b2c3d-1111-4222-8333-444455556666",
      ref_id: "jane",
      url: "https://www.acme.example/",
    });
    const tracked = {
      method: "POST",
      headers: {
        authorization: "Bearer key-of-acme",
        "account-id": "acme",
        "content-type": "application/json",
      },
    };
    const signup = { ...tracked, body: JSON.stringify({ email: "b@example.com", ref_id: "jane" }) };
    expect((await app.request("/api/v2/track/signup", signup)).status).toBe(200);
    const sale = {
      ...tracked,
      body: JSON.stringify({ email: "b@example.com", event_id: "s2", amount: 5_000 }),
    };
    expect((await app.request("/api/v2/track/sale", sale)).status).toBe(200);
    expect(await entries()).toHaveLength(length);
  });

  it("has nothing of a change that was refused, and nothing of a change that changed nothing", async () => {
    const { promoter_id } = await join(app, "jane@example.com");
    await join(app, "bob@example.com");
    const { length } = await entries();
    expect((await app.v2("PUT", `/promoters/${promoter_id}`, { email: "bob@example.com" })).status).toBe(400);
    expect((await app.v2("PUT", `/promoters/${promoter_id}`, { email: "jane@example.com" })).status).toBe(
      200,
    );
    expect(await entries()).toHaveLength(length);
  });

  it("shows that a secret changed, and never the secret", async () => {
    const context = audited();
    const user = await addUser(app, "owner");
    const { key } = await createApiKey(context, app.account_id, "shop");
    const created = await app.v2("POST", "/webhooks", {
      url: "https://hooks.example.com/",
      event_types: ["promoter.created"],
      headers: { authorization: "Bearer of-the-hook" },
      basic_auth_user: "acme",
      basic_auth_password: "basic-password",
    });
    const { id, secret_key } = created.body as { id: number; secret_key: string };
    await app.v2("POST", `/webhooks/${id}/rotate_secret`);
    await app.v2("POST", "/billing", {
      provider: "stripe",
      secret: "whsec_of-stripe",
      api_key: "rk_live_of-stripe",
    });
    const { body } = await app.v1("/promoters/create", {
      email: "jane@example.com",
      temp_password: "first-password",
    });
    const { auth_token } = body as { auth_token: string };
    const methods = await app.v2("POST", "/payout_methods", {
      promoter_id: 1,
      method: "paypal",
      details: { wallet_email: "jane@wallet.example" },
    });
    expect(methods.status).toBeLessThan(300);
    await context.store.transact(async (tx) => {
      const { users } = await import("../../../server/domain/access/user/user.ts");
      await tx.put(users, { ...user, password_hash: "another-hash" });
    });
    const [rotation] = await entries("?filters[entity]=webhook&filters[action]=updated");
    expect(rotation).toMatchObject({ before: { secrets: "hidden" }, after: { secrets: "hidden" } });
    const [change] = await entries("?filters[entity]=user");
    expect(change).toMatchObject({ before: { password_hash: "hidden" }, after: { password_hash: "hidden" } });
    const all = JSON.stringify(await app.records.all("auditEntry"));
    const hashes = await app.records.all("apiKey");
    const secrets = [
      key,
      secret_key,
      auth_token,
      PASSWORD,
      user.password_hash!,
      "another-hash",
      "first-password",
      "of-the-hook",
      "basic-password",
      "of-stripe",
      "jane@wallet.example",
      ...hashes.map(({ hash }) => hash),
    ];
    expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
    expect(all).toContain('"name":"shop"');
  });

  it("is written once when requests collide", async () => {
    const { promoter_id } = await join(app, "jane@example.com");
    const given = ["one", "two", "three"];
    await Promise.all(given.map((cust_id) => app.v2("PUT", `/promoters/${promoter_id}`, { cust_id })));
    const changes = await entries("?filters[entity]=promoter&filters[action]=updated");
    expect(changes).toHaveLength(3);
    // Each entry begins where another one ended.
    const after = changes.map((entry) => (entry["after"] as { cust_id: string }).cust_id);
    const before = changes.map((entry) => (entry["before"] as { cust_id: string | null }).cust_id);
    expect(after.toSorted()).toEqual(given.toSorted());
    expect(before.filter((id) => id === null)).toHaveLength(1);
    expect(new Set(before).size).toBe(3);
  });

  it("belongs to its account alone", async () => {
    expect(Object.keys(AUDITED).filter((name) => !TABLES.some((each) => each.name === name))).toEqual([]);
    const other = await addUser(app, "owner", { owner_id: 999, email: "owner@other.example" });
    await audited().store.transact(async (tx) => {
      const { users } = await import("../../../server/domain/access/user/user.ts");
      await tx.put(users, { ...other, name: "Other" });
    });
    expect(JSON.stringify(await entries())).not.toContain("Other");
  });
});

describe("the filters of the audit log", () => {
  const ids = async (query: string) => (await entries(query)).map((entry) => entry["entity_id"]);

  it("find by actor, action, record and time, and make pages", async () => {
    const user = await addUser(app, "manager");
    const call = await callAs(app, user);
    await join(app, "jane@example.com");
    await join(app, "bob@example.com");
    app.setNow("2026-03-05T00:00:00.000Z");
    await call("PUT /promoters/1", { cust_id: "x" });
    await app.v2("PUT", "/promoters/2", { cust_id: "y" });
    const promoter = "filters[entity]=promoter";
    expect(await ids(`?${promoter}`)).toEqual(["2", "1", "2", "1"]);
    expect(await ids(`?${promoter}&filters[actor]=user`)).toEqual(["1"]);
    expect(await ids(`?filters[actor_id]=${user.id}`)).toEqual(["1"]);
    expect(await ids(`?${promoter}&filters[action]=created`)).toEqual(["2", "1"]);
    expect(await ids(`?${promoter}&filters[entity_id]=2`)).toEqual(["2", "2"]);
    expect(await ids(`?${promoter}&filters[at][to]=2026-03-04`)).toEqual(["2", "1"]);
    expect(await ids("?filters[at][from]=2026-03-05")).toEqual(["2", "1"]);
    const page = await log(`?${promoter}&per_page=3&page=2`);
    expect(page.headers.get("total")).toBe("4");
    expect((page.body as unknown[]).length).toBe(1);
  });

  it("find what lies behind 10,000 others", async () => {
    const minute = (number: number) => new Date(Date.parse(NOW) + number * 60_000).toISOString();
    const added = (number: number, action: "created" | "updated") => ({
      account_id: app.account_id,
      id: 100_000 + number,
      at: minute(number),
      actor: COMMAND,
      action,
      entity: "product" as const,
      entity_id: String(number),
      promoter_id: null,
      promoter_campaign_id: null,
      lead_id: null,
      before: null,
      after: null,
    });
    // The first and the last were made, and the 10,000 between them changed.
    const numbers = Array.from({ length: 10_002 }, (_, number) => number);
    const entries = numbers.map((number) => added(number, number % 10_001 === 0 ? "created" : "updated"));
    await app.records.put("auditEntry", ...entries);
    const created = "filters[action]=created&filters[entity]=product";
    const { body, headers } = await log(`?${created}`);
    expect((body as unknown[]).length).toBe(2);
    expect(body).toMatchObject([{ entity_id: "10001" }, { entity_id: "0" }]);
    expect(headers.get("total")).toBe("2");
    const rest = await log(`?${created}&filters[at][to]=${minute(2)}`);
    expect(rest.body).toMatchObject([{ entity_id: "0" }]);
    const all = await log("?filters[entity]=product");
    expect(all.headers.get("total")).toBe("10002");
    const days = await log(`?filters[entity]=product&filters[at][from]=${minute(10_000)}`);
    expect(days.headers.get("total")).toBe("2");
    const file = await app.v2("GET", `/audit_log/download?${created}`);
    expect(
      (file.body as string)
        .trimEnd()
        .split("\r\n")
        .map((line) => line.split(",")[7]),
    ).toEqual(["entity_id", "0", "10001"]);
  });

  it("refuse what is unknown", async () => {
    expect(await outcome(log("?filters[actor]=nobody&filters[entity]=cat"))).toEqual(
      invalid({
        "filters[actor]": ["is not one of user, key, promoter, command_line, process"],
        "filters[entity]": [`is not one of ${Object.values(AUDITED).join(", ")}`],
      }),
    );
  });

  it("make a file, in which names are no formulas", async () => {
    await join(app, "jane@example.com");
    await app.v2("PUT", "/promoters/1", { cust_id: "=HYPERLINK(1)" });
    const { status, body, headers } = await app.v2(
      "GET",
      "/audit_log/download?filters[entity]=promoter&filters[action]=updated",
    );
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(headers.get("content-disposition")).toBe('attachment; filename="audit-log-2026-03-04.csv"');
    expect(body).toMatch(
      /^id,at,actor_kind,actor_id,actor_name,action,entity,entity_id,entity_name,before,after\r\n\d+,2026-03-04T05:06:07.890Z,key,,first,updated,promoter,1,jane@example.com,"\{""cust_id"":null\}","\{""cust_id"":""=HYPERLINK\(1\)""\}"\r\n$/,
    );
  });
});

describe("an erasure", () => {
  it("leaves in the log that the person's records changed, without what was in them", async () => {
    await join(app, "zqx@example.com", { first_name: "Zqx" });
    await app.v2("PUT", "/promoters/1", { cust_id: "zqx" });
    await app.v1("/leads/create", { email: "lead-of-jane@example.com", promoter_id: "1" });
    await erasePromoter({ ...app, context: audited() }, "1");
    const all = await entries("?filters[entity]=promoter");
    expect(all.map(({ action, before, after }) => [action, before, after])).toEqual([
      ["erased", null, null],
      ["updated", null, null],
      ["created", null, null],
    ]);
    expect(all[0]).toMatchObject({ actor: COMMAND });
    expect(JSON.stringify(await entries()).toLowerCase()).not.toContain("zqx");
  });

  it("of a lead reaches the log as well", async () => {
    await join(app, "jane@example.com", { ref_id: "jane" });
    await app.v2("POST", "/referrals", { email: "zqx@example.com", ref_id: "jane", promoter_campaign_id: 1 });
    expect(JSON.stringify(await entries())).toContain("zqx");
    await eraseLead({ ...app, context: audited() }, "zqx@example.com");
    expect(JSON.stringify(await entries())).not.toContain("zqx");
  });
});
