import { parse } from "csv-parse/sync";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHROME, NOW, startApp, type TestApp } from "../../support/app.ts";
import { makeReward, offer } from "../../support/money.ts";
import { startWith } from "../../support/operations.ts";
import { company, join } from "../../support/v2.ts";
import { importCsv } from "../../support/csv.ts";
import { accountOf, connectStripe, outcomeOf, tellStripe } from "../../support/billing.ts";
import { invoice, stripeEvent } from "../../support/stripe-events.ts";
import { KINDS, type KindName } from "../../../server/transfer/csv/kinds.ts";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as joinPath } from "node:path";

let app: TestApp;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(joinPath(tmpdir(), "tidemark-"));
  app = await startApp();
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  expect(app.bugs).toEqual([]);
  await app.close();
});

const steps = async () => {
  const { body } = await app.v2("GET", "/switch");
  return Object.fromEntries(
    (body as { steps: { name: string; is_seen: boolean; is_ticked: boolean }[] }).steps.map((step) => [
      step.name,
      step.is_seen ? "seen" : step.is_ticked ? "ticked" : "open",
    ]),
  );
};
async function bring(kind: KindName, text: string) {
  const file = joinPath(folder, "file.csv");
  writeFileSync(file, text);
  const onBad = (_line: number, fault: string) => expect.fail(fault);
  await importCsv(app.context, await accountOf(app), { kind: KINDS[kind], file, onBad });
}

describe("the steps of a switch", () => {
  const OPEN = {
    records: "open",
    payout_methods: "open",
    mail: "open",
    webhook: "open",
    billing: "open",
    server_call: "open",
    script: "open",
    old_link: "open",
    renewal: "open",
    old_script: "open",
  };

  it("are seen as they are done", async () => {
    expect(await steps()).toEqual(OPEN);
    await offer(app, await makeReward(app));
    await bring("promoters", "email,ref_id\njane@example.com,jane\n");
    await bring("customers", "email,ref_id,created_at\nmia@example.com,jane,2025-01-01\n");
    await bring("sales", "email,event_id,amount,created_at\nmia@example.com,s1,10,2025-02-01\n");
    expect(await steps()).toEqual({ ...OPEN, records: "seen" });
    await company(app, "POST /payout_methods", {
      promoter_id: 1,
      method: "paypal",
      details: { paypal_email: "jane@example.com" },
    });
    await company(app, "POST /webhooks", {
      name: "CRM",
      url: "https://crm.example/hook",
      event_types: ["referral.created"],
    });
    await connectStripe(app);
    await startWith(app, { public_url: "", trust_proxy_hops: 0, has_mail: true, started_at: NOW });
    await app.request("/svc.js", { headers: { referer: "https://www.acme.example/pricing" } });
    const click = {
      tid: "7c9e6679-7425-40de-944b-e07fc1f90ae7",
      ref_id: "jane",
      url: "https://www.acme.example/?fpr=jane",
    };
    expect((await app.browser("/t/click", { cid: "acme", ...click }, { "user-agent": CHROME })).status).toBe(
      200,
    );
    await app.services.sightings.write();
    const seen = { records: "seen", payout_methods: "seen", mail: "seen", webhook: "seen" };
    const onPages = { script: "seen", old_link: "seen" };
    // Stripe is connected, and none of its events has come.
    expect(await steps()).toEqual({ ...OPEN, ...seen, ...onPages });
    const renewal = stripeEvent("invoice.paid", invoice({ customer_email: "mia@example.com" }));
    expect(await outcomeOf(tellStripe(app, renewal))).toBe("sale");
    await app.services.sightings.write();
    expect(await steps()).toEqual({ ...OPEN, ...seen, ...onPages, billing: "seen", renewal: "seen" });
    await app.v1("/track/signup", { email: "new@example.com", ref_id: "jane" });
    await app.services.sightings.write();
    expect(await steps()).toMatchObject({ server_call: "seen", old_script: "open" });
  });

  it("stay open for forged events, scripts on other sites, and customers who are new or earn nothing", async () => {
    await bring("promoters", "email,ref_id\njane@example.com,jane\n");
    await bring("customers", "email,ref_id,created_at\nmia@example.com,jane,2025-01-01\n");
    await connectStripe(app);
    const forged = { "stripe-signature": "t=1,v1=00" };
    await app.request("/hooks/stripe/acme", { method: "POST", headers: forged, body: "{}" });
    await app.request("/svc.js", { headers: { referer: "https://www.other.example/" } });
    await app.v1("/track/sale", { email: "mia@example.com", event_id: "s1", amount: "1000" });
    await app.services.sightings.write();
    expect(await steps()).toEqual({ ...OPEN, records: "seen", server_call: "seen" });
    await offer(app, await makeReward(app));
    await app.v1("/track/signup", { email: "new@example.com", ref_id: "jane" });
    await app.v1("/track/sale", { email: "new@example.com", event_id: "s2", amount: "1000" });
    expect(await steps()).toMatchObject({ renewal: "open" });
    await app.v1("/track/sale", { email: "mia@example.com", event_id: "s3", amount: "1000" });
    expect(await steps()).toMatchObject({ renewal: "seen" });
  });

  it("can be ticked by hand, and the log keeps who did", async () => {
    const answer = await app.v2("PUT", "/switch", { ticked: ["old_script", "billing"] });
    expect(answer).toMatchObject({ status: 200, body: { links_mailed_at: null, links_mailed_count: 0 } });
    expect(await steps()).toEqual({ ...OPEN, old_script: "ticked", billing: "ticked" });
    await app.v2("PUT", "/switch", { ticked: [] });
    expect(await steps()).toEqual(OPEN);
    expect(((await app.v2("GET", "/audit_log")).body as object[])[0]).toMatchObject({
      entity: "switch",
      action: "updated",
      before: { ticked: ["billing", "old_script"] },
      after: { ticked: [] },
    });
    expect(await app.v2("PUT", "/switch", { ticked: ["cats"] })).toMatchObject({ status: 422 });
  });
});

describe("new links", () => {
  beforeEach(async () => {
    await join(app, "jane@example.com", { ref_id: "jane", first_name: "Jane" });
    await join(app, "=1+1@example.com", { ref_id: "joe" });
    await join(app, "kim@example.com", { ref_id: "kim" });
  });

  it("stand beside old ones in a list of redirects", async () => {
    const { body, headers } = await app.v2("GET", "/exports/links?old_start=https://acme.partnerlinks.io/");
    expect(headers.get("content-disposition")).toBe('attachment; filename="links-2026-03-04.csv"');
    const lines = parse(body as string, { columns: true, record_delimiter: "\r\n" }) as Record<
      string,
      string
    >[];
    expect(lines[0]).toEqual({
      promoter_email: "jane@example.com",
      promoter_name: "Jane",
      campaign: expect.any(String),
      state: "accepted",
      ref_id: "jane",
      old_link: "https://acme.partnerlinks.io/jane",
      new_link: expect.stringMatching(/^https?:.*[?&]\w+=jane$/),
    });
    expect(lines.map(({ promoter_email }) => promoter_email)).toEqual([
      "jane@example.com",
      "'=1+1@example.com",
      "kim@example.com",
    ]);
    expect(await app.v2("GET", "/exports/links?old_start=cats")).toMatchObject({ status: 422 });
  });

  it("are mailed once to each promoter, and never to those who unsubscribed", async () => {
    const mail = async (dry_run: boolean) => (await app.v2("POST", "/switch/mail_links", { dry_run })).body;
    await company(app, "POST /promoters/block", { ids: [2], campaign_id: 1 });
    const sent = async () =>
      (await app.records.all("delivery")).filter(({ email }) => email?.kind === "new_links");
    const counts = { mailed_before_count: 0, unsubscribed_count: 0, without_link_count: 1 };
    expect(await mail(true)).toEqual({ dry_run: true, mailed_count: 2, ...counts });
    expect(await sent()).toEqual([]);
    const link = /\/unsubscribe\?(\S+)/;
    expect(await mail(false)).toEqual({ dry_run: false, mailed_count: 2, ...counts });
    expect((await sent()).map(({ email }) => email?.to)).toEqual(["jane@example.com", "kim@example.com"]);
    const [first] = await sent();
    expect(first!.email!.values).toMatchObject({
      first_name: "Jane",
      ref_token: "jane",
      ref_link: expect.stringContaining("=jane"),
      unsubscribe_url: expect.stringMatching(link),
    });
    const query = link.exec(first!.email!.values["unsubscribe_url"]!)![1]!;
    await join(app, "lee@example.com", { ref_id: "lee" });
    await app.request(`/unsubscribe?${query}`, { method: "POST" });
    expect(await mail(false)).toEqual({ ...counts, dry_run: false, mailed_count: 1, mailed_before_count: 2 });
    expect((await sent()).length).toBe(3);
    expect((await app.v2("GET", "/switch")).body).toMatchObject({
      links_mailed_at: NOW,
      links_mailed_count: 3,
    });
  });

  it("are mailed once, also if two send them at the same moment", async () => {
    const mail = () => app.v2("POST", "/switch/mail_links", {});
    const both = await Promise.all([mail(), mail()]);
    const counts = both.map(({ body }) => (body as { mailed_count: number }).mailed_count);
    expect(counts.toSorted()).toEqual([0, 3]);
    const sent = (await app.records.all("delivery")).filter(({ email }) => email?.kind === "new_links");
    expect(sent.length).toBe(3);
  });

  it("reach nobody who has unsubscribed before", async () => {
    await app.records.put("unsubscription", { account_id: app.account_id, promoter_id: 3, at: NOW });
    expect((await app.v2("POST", "/switch/mail_links", {})).body).toMatchObject({
      mailed_count: 2,
      unsubscribed_count: 1,
    });
    const sent = (await app.records.all("delivery")).filter(({ email }) => email?.kind === "new_links");
    expect(sent.map(({ email }) => email?.promoter_id)).toEqual([1, 2]);
  });
});
