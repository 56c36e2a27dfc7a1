import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findProblems } from "../../../server/cli/doctor.ts";
import { newSightingRecorder } from "../../../server/request/sighting-recorder.ts";
import { takeStock } from "../../../server/request/observation.ts";
import { newMetrics } from "../../../server/request/metrics.ts";
import { newMailer } from "../../../server/outgoing/mail.ts";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { startMailServer } from "../../support/mail-server.ts";
import { appOutbox, workOff } from "../../support/outbox.ts";
import { company } from "../../support/v2.ts";
import { startWith } from "../../support/operations.ts";

const SETUP = {
  public_url: "https://track.acme.example",
  trust_proxy_hops: 1,
  has_mail: true,
  started_at: NOW,
};
const TID = "7f1b2c3d-1111-4222-8333-444455556666";
const FORWARDED = { host: "track.acme.example", "x-forwarded-for": "203.0.113.7" };

let app: TestApp;
beforeEach(async () => {
  app = await startApp("memory", { allowsPrivateWebhooks: true });
  await startWith(app, SETUP);
});
afterEach(() => app.close());

const problems = async (now = NOW) => {
  await app.services.sightings.write();
  return findProblems(app.services.store, new Date(now));
};
const loadScript = (headers: Record<string, string> = {}) =>
  app.request("/svc.js", { headers: { ...FORWARDED, referer: "https://www.acme.example/", ...headers } });
const signUp = async (origin: string) => {
  await app.v1("/promoters/create", { email: "jane@example.com", ref_id: "jane" });
  await app.browser("/t/click", { tid: TID, ref_id: "jane" }, FORWARDED);
  return app.browser("/t/signup", { tid: TID, email: "mia@example.com" }, { ...FORWARDED, origin });
};

it("finds nothing wrong if pages load the script from the server's address, through the proxy", async () => {
  await loadScript();
  expect((await signUp("https://www.acme.example")).status).toBe(200);
  expect(await problems()).toEqual([]);
});

it("needs a server that has run", async () => {
  const fresh = await startApp();
  expect(await findProblems(fresh.services.store, new Date(NOW))).toEqual([
    "No server has run on this store yet: start one, let it run for a while, and try again.",
  ]);
  await fresh.close();
});

describe("the script", () => {
  const never =
    'No page has loaded the script yet: put <script async src="https://track.acme.example/svc.js" ' +
    'data-cid="ACCOUNT_ID"></script> on every page of your site, and open one.';

  it("was never loaded, except by our own demo", async () => {
    expect(await problems()).toEqual([never]);
    await loadScript({ referer: "https://track.acme.example/demo" });
    expect(await problems()).toEqual([never]);
    await loadScript({ referer: "" });
    expect(await problems()).toEqual([]);
  });

  it("was loaded long ago", async () => {
    await loadScript();
    expect(await problems("2026-03-12T00:00:00.000Z")).toEqual([
      "No page has loaded the script since 2026-03-04: check that its tag is still on every page of your site.",
    ]);
  });
});

describe("the server", () => {
  beforeEach(() => loadScript());

  it("has an address that no browser elsewhere can open", async () => {
    await startWith(app, { ...SETUP, public_url: "http://0.0.0.0:3000" });
    expect(await problems()).toEqual([
      "PUBLIC_URL is http://0.0.0.0:3000, which browsers elsewhere can't open: set it to the address at which they " +
        "reach the server.",
    ]);
  });

  it("is reached by another address than its own", async () => {
    await loadScript({ host: "localhost:3000" });
    expect(await problems()).toEqual([]);
    await loadScript({ host: "Affiliates.Acme.example" });
    const told = [
      "PUBLIC_URL is https://track.acme.example, but browsers reach the server as affiliates.acme.example: set " +
        "PUBLIC_URL to that address, or make the proxy forward the browser's Host header.",
    ];
    expect(await problems()).toEqual(told);
    await startWith(app, { ...SETUP, started_at: "2026-03-05T00:00:00.000Z" });
    expect(await problems()).toEqual([]);
  });

  it("trusts too few proxies, or too many", async () => {
    app.services.trust_proxy_hops = 2;
    await loadScript();
    await startWith(app, { ...SETUP, trust_proxy_hops: 2 });
    expect(await problems()).toEqual([
      "TRUST_PROXY is 2, but some requests passed fewer proxies that write X-Forwarded-For: set TRUST_PROXY to " +
        "their number, and make sure that the server can't be reached without them.",
    ]);
    app.services.trust_proxy_hops = 0;
    await loadScript();
    expect(await problems()).toEqual([
      "Requests come through a proxy (they have X-Forwarded-For), but TRUST_PROXY is 0, so all visitors share the " +
        "proxy's address and its limits: set TRUST_PROXY to the number of proxies in front.",
    ]);
  });
});

describe("events", () => {
  beforeEach(() => loadScript());

  it("wait for longer than usual", async () => {
    const hook = { url: "https://hooks.acme.example/", event_types: ["promoter.created"] };
    await company(app, "POST /webhooks", hook);
    await app.v1("/promoters/create", { email: "late@example.com" });
    expect(await problems("2026-03-04T05:10:00.000Z")).toEqual([]);
    expect(await problems("2026-03-04T05:12:00.000Z")).toEqual([
      "Account acme: 1 event or e-mail is not sent yet, since 2026-03-04T05:06:07.890Z: make sure that a server runs on " +
        "this store and that its log shows no faults.",
    ]);
  });
});

describe("events for a webhook that is switched off", () => {
  it("wait without being late", async () => {
    await loadScript();
    const hook = { url: "http://127.0.0.1:1/", event_types: ["promoter.created"] };
    await company(app, "POST /webhooks", hook);
    await app.v1("/promoters/create", { email: "late@example.com" });
    const outbox = appOutbox(app);
    await outbox.pass();
    await outbox.settle();
    const late = new Date("2026-03-04T06:00:00.000Z");
    expect((await takeStock(app.services.store, late))?.waitingCount).toBe(1);
    await company(app, "PUT /webhooks/1", { active: false });
    expect(await takeStock(app.services.store, late)).toMatchObject({ waitingCount: 0, oldestSeconds: 0 });
    expect((await problems(late.toISOString())).join()).not.toContain("not sent yet");
    app.setNow(late.toISOString());
    const { body } = await company(app, "GET /home?start_date=2026-03-01&end_date=2026-03-04");
    expect(body).toMatchObject({ tasks: { late_deliveries: { count: 0, oldest_at: null } } });
  });
});

describe("a sign-up that is refused for its origin", () => {
  beforeEach(async () => {
    await loadScript();
    await app.services.sightings.write();
  });

  it("is reported to the browser, once in the log, in the metrics, and by the doctor until it is allowed", async () => {
    const lines: string[] = [];
    const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line) });
    const sightings = newSightingRecorder({ ...app.services, log }, () => {});
    app.services.sightings = sightings;
    for (let times = 0; times < 3; times++) {
      const { status, body } = await signUp("https://shop.example");
      expect({ status, body }).toEqual({ status: 403, body: { error: "This site may not send sign-ups" } });
      await app.services.sightings.write();
    }
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        level: 40,
        origin: "https://shop.example",
        msg: "sign-ups from this origin are refused: none of their campaigns allows it",
      },
    ]);
    const metrics = newMetrics({
      counts: { commits: 0, conflicts: 0 },
      isReady: async () => true,
      sightings,
      stock: async () => null,
    });
    expect((await metrics.page()).text).toContain("tidemark_origins_refused_total 3\n");
    const told =
      "Account acme: sign-ups from https://shop.example are refused, most recently on 2026-03-04: if the site is yours, allow " +
      "it with tidemark campaign update acme CAMPAIGN_ID --allow-origin ORIGIN... (name all allowed origins: they " +
      "replace the old ones); otherwise remove the script from it.";
    expect(await problems()).toEqual([told]);
    await app.records.change("campaign", 1, { allowed_origins: ["https://shop.example"] });
    expect(await problems()).toEqual([]);
  });

  it("keeps the newest twenty origins, and only those of web sites", async () => {
    await signUp(`https://${"x".repeat(300)}.example`);
    for (let at = 0; at < 25; at++) await signUp(`https://site${at}.example`);
    const told = await problems();
    expect(told).toHaveLength(20);
    expect(told[0]).toContain("https://site24.example");
  });
});

describe("deliveries", () => {
  beforeEach(async () => {
    await loadScript();
    await app.v2("PUT", "/campaigns/1", { emails: { signup_accepted: true } });
  });

  it("are refused by the mail server, for now and then for good", async () => {
    const server = await startMailServer();
    const mailer = newMailer({ smtpUrl: server.url, from: "Tidemark <mail@tidemark.example>" });
    const outbox = appOutbox(app, { mailer });
    server.refuse(451);
    await app.v1("/promoters/create", { email: "jane@example.com", ref_id: "jane" });
    await workOff(outbox);
    expect(await problems()).toEqual([
      "Account acme: 1 e-mails could not be sent yet and will be retried: check SMTP_URL and that server.",
    ]);
    server.refuse(550);
    app.setNow("2026-03-04T06:00:00.000Z");
    await workOff(outbox);
    expect(await problems()).toEqual([
      "Account acme: 1 e-mails were given up: correct the cause that the log names, then tidemark mail retry acme.",
    ]);
    mailer.close();
    await server.close();
  });

  it("wait for a mail server, or for a receiver that keeps failing", async () => {
    const webhook = { url: "http://127.0.0.1:1/", event_types: ["promoter.created"], max_retries: 2 };
    expect((await app.v2("POST", "/webhooks", webhook)).status).toBeLessThan(300);
    await app.v1("/promoters/create", { email: "jane@example.com", ref_id: "jane" });
    await startWith(app, { ...SETUP, has_mail: false });
    const outbox = appOutbox(app);
    await workOff(outbox);
    const mail = "Account acme: 1 e-mails wait for a mail server: set SMTP_URL and MAIL_FROM.";
    const name = "Account acme: webhook 1 to 127.0.0.1:1";
    expect(await problems()).toEqual([
      mail,
      `${name} fails: 1 events will be retried; check what the receiver answers.`,
    ]);
    app.setNow("2026-03-04T06:00:00.000Z");
    await workOff(outbox);
    expect(await problems()).toEqual([
      mail,
      `${name} failed for good with 1 events: correct the receiver, then tidemark webhook retry acme 1.`,
    ]);
  });
});
