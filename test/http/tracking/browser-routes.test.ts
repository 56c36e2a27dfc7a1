import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findAccount } from "../../../server/domain/program/account/account.ts";
import { nameTracker } from "../../../server/domain/program/account/settings.ts";
import { answerOf, CHROME, startApp, type TestApp } from "../../support/app.ts";
import { statsOf } from "../../support/stats.ts";
import { addAccount } from "../../support/operations.ts";
import { addCampaign } from "../../support/v2.ts";

const TID = "7f1b2c3d-1111-4222-8333-444455556666";
const TID_2 = "8f1b2c3d-1111-4222-8333-444455556666";
const NOBODY = { status: "refused", tid: null, ref_id: null, cookie_days: 0, has_cookies: false };
const JANE = { tid: TID, ref_id: "jane", cookie_days: 60, has_cookies: false };

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
  await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane", last_name: "Doe" });
  await app.v1("/promoters/create", { email: "bob@example.com", first_name: "Bob" });
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const click = (params: Record<string, string>, headers?: Record<string, string>) =>
  app.browser("/t/click", { tid: TID, ...params }, headers);
const clicksOf = async (id: number) => (await statsOf(app.services.store, app.account_id, id)).clicks;

describe("POST /t/click", () => {
  it("makes a visitor, counts once, and lets the page read the answer", async () => {
    const { status, body, headers } = await click({ ref_id: " Jane " });
    expect({ status, body }).toEqual({ status: 200, body: { status: "recorded", ...JANE } });
    expect(headers.get("access-control-allow-origin")).toBe("https://www.acme.example");
    expect(headers.get("access-control-allow-credentials")).toBe("true");
    expect(headers.get("access-control-expose-headers")).toBe("Retry-After");
    expect(headers.get("vary")).toBe("Origin");
    expect((await click({ ref_id: "jane" })).body).toEqual({ status: "known", ...JANE });
    expect(await clicksOf(1)).toBe(1);
  });

  it("counts many simultaneous clicks of one visitor once", async () => {
    await Promise.all(Array.from({ length: 20 }, () => click({ ref_id: "jane" })));
    expect(await clicksOf(1)).toBe(1);
  });

  it.each([
    [{ ref_id: "nobody" }],
    [{}],
    [{ ref_id: "<script>alert(1)</script>" }],
    [{ ref_id: "x".repeat(900) }],
    [{ url_tracking: "true", url: "https://nobody.example/" }],
    [{ url_tracking: "true" }],
  ])("answers 200 and nobody to %o", async (params) => {
    const { status, body } = await click(params as Record<string, string>);
    expect({ status, body }).toEqual({ status: 200, body: NOBODY });
  });

  it.each([
    [{ "user-agent": "Googlebot/2.1" }],
    [{ "user-agent": "" }],
    [{ "sec-purpose": "prefetch;prerender" }],
    [{ purpose: "prefetch" }],
    [{ "x-moz": "prefetch" }],
  ])("makes no visitor from %o", async (headers) => {
    expect((await click({ ref_id: "jane" }, headers as unknown as Record<string, string>)).body).toEqual(
      NOBODY,
    );
    expect(await clicksOf(1)).toBe(0);
  });

  it.each([
    ["is good", `cid=acme&tid=${TID}&ref_id=jane`],
    ["is too large", `cid=acme&tid=${TID}&ref_id=jane&url=${"x".repeat(70_000)}`],
    ["is broken", "cid=%ff"],
    ["is missing", ""],
  ])("answers a bot before its body is read: one that %s", async (_, text) => {
    let isRead = false;
    const body = new ReadableStream(
      {
        pull(controller) {
          isRead = true;
          controller.enqueue(new TextEncoder().encode(text));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      "user-agent": "Googlebot/2.1",
      origin: "https://www.acme.example",
    };
    const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
    const answer = await app.request("/t/click", init);
    expect({
      status: answer.status,
      body: await answer.json(),
      headers: Object.fromEntries(answer.headers),
    }).toEqual({
      status: 200,
      body: NOBODY,
      headers: {
        "access-control-allow-credentials": "true",
        "access-control-allow-origin": "https://www.acme.example",
        "access-control-expose-headers": "Retry-After",
        "cache-control": "no-store",
        "content-type": "application/json; charset=utf-8",
        vary: "Origin",
        "x-content-type-options": "nosniff",
      },
    });
    expect(isRead).toBe(false);
    expect(await clicksOf(1)).toBe(0);
  });

  it.each([CHROME, "curl/8.5.0", ""])("refuses a compressed body, also of a bot (%o)", async (agent) => {
    const headers = { "content-encoding": "gzip", "user-agent": agent };
    const { status, body } = await click({ ref_id: "jane" }, headers);
    expect({ status, body }).toEqual({
      status: 415,
      body: { error: "The body is compressed; send it uncompressed" },
    });
  });

  it.each([
    [{ tid: "1" }, 422, { tid: ["is not a UUID v4"] }],
    [{ tid: "" }, 422, { tid: ["can't be blank"] }],
    [{ cid: "nobody" }, 404, { error: "The account (cid) was not found" }],
    [{ cid: "" }, 404, { error: "The account (cid) was not found" }],
  ])("refuses %o with %i", async (params, status, body) => {
    const answer = await click({ ref_id: "jane", ...(params as Record<string, string>) });
    expect({ status: answer.status, body: answer.body }).toEqual({ status, body });
  });

  const LATE = { tid: TID, ref_id: "jane", cookie_tid: TID_2 };

  it("counts an older click that comes late, but leaves the visitor with the later link", async () => {
    await click({ tid: TID_2, ref_id: "bob" });
    app.setNow(new Date(app.services.clock().getTime() + 10_000).toISOString());
    expect((await click({ ...LATE, age: "60000" })).body).toEqual({
      status: "recorded",
      ...JANE,
      tid: TID_2,
      ref_id: "bob",
    });
    expect((await click({ ...LATE, age: "70000" })).body).toMatchObject({ status: "known", tid: TID_2 });
    expect([await clicksOf(1), await clicksOf(2)]).toEqual([1, 1]);
  });

  it("leaves the visitor with a later link that was answered before, however long the older click was on its way", async () => {
    await click({ tid: TID_2, ref_id: "bob" });
    app.setNow(new Date(app.services.clock().getTime() + 10_000).toISOString());
    const late = { ...LATE, age: "9000", is_past: "1" };
    const visit = { ...JANE, tid: TID_2, ref_id: "bob" };
    expect((await click(late)).body).toEqual({ status: "recorded", ...visit });
    expect((await click({ ...late, age: "" })).body).toEqual({ status: "known", ...visit });
    // without the later visitor
    expect((await click({ ...late, cookie_tid: "" })).body).toEqual({ status: "known", ...JANE });
    const odd = { ...late, tid: "9f1b2c3d-1111-4222-8333-444455556666", is_past: "perhaps" };
    expect((await click(odd)).body).toMatchObject({ tid: odd.tid, ref_id: "jane" });
    expect([await clicksOf(1), await clicksOf(2)]).toEqual([2, 1]);
  });

  it.each(["9999", "0", "-60000", "soon", ""])(
    "gives the visitor to a click that comes after the other, %j ms late",
    async (age) => {
      await click({ tid: TID_2, ref_id: "bob", age: "1" });
      app.setNow(new Date(app.services.clock().getTime() + 10_000).toISOString());
      expect((await click({ ...LATE, age })).body).toEqual({ status: "recorded", ...JANE });
    },
  );

  it("goes by the time of both clicks if both come late", async () => {
    await click({ tid: TID_2, ref_id: "bob", age: "5000" });
    expect((await click({ ...LATE, age: "4000" })).body).toMatchObject({ tid: TID });
    const other = { tid: "9f1b2c3d-1111-4222-8333-444455556666", ref_id: "bob", cookie_tid: TID };
    expect((await click({ ...other, age: "4500" })).body).toMatchObject({ status: "recorded", tid: TID });
    expect((await click({ ...other, age: String(1e12) })).body).toMatchObject({ status: "known", tid: TID });
  });

  it("gives the visitor to the last promoter, or to the first if the campaign says so", async () => {
    await click({ ref_id: "jane" });
    const second = { tid: TID_2, ref_id: "bob", cookie_tid: TID };
    expect((await click(second)).body).toMatchObject({ tid: TID_2, ref_id: "bob" });

    const campaign = await addCampaign(app, {
      name: "First",
      landing_url: "https://acme.example",
      attribution: "first",
      visitor_cookie_life: 30,
    });
    await app.v1("/promoters/create", {
      email: "f@example.com",
      ref_id: "first",
      campaign_id: String(campaign.id),
    });
    const tid = "9f1b2c3d-1111-4222-8333-444455556666";
    expect((await click({ tid, ref_id: "first" })).body).toEqual({
      status: "recorded",
      tid,
      ref_id: "first",
      cookie_days: 30,
      has_cookies: false,
    });
    const later = { tid: "af1b2c3d-1111-4222-8333-444455556666", ref_id: "jane", cookie_tid: tid };
    expect((await click(later)).body).toMatchObject({ tid, ref_id: "first" });
    app.setNow("2026-04-04T05:06:07.890Z");
    expect((await click(later)).body).toMatchObject({ tid: later.tid, ref_id: "jane" });
  });

  it.each([
    "JANE",
    " jane/ ",
    "(jane)",
    "jane.",
    "\u200bja\u200dne",
    "jane,",
    "newsletter,jane,bob",
    "@jane",
  ])("reads the ref id %j as the promoter's", async (ref_id) => {
    expect((await click({ ref_id: ref_id.replace("(", "") })).body).toEqual({ status: "recorded", ...JANE });
  });

  it("keeps a visitor who returns by the same promoter, and counts them once", async () => {
    await click({ ref_id: "jane" });
    const again = { tid: TID_2, ref_id: "Jane", cookie_tid: TID };
    expect((await click(again)).body).toEqual({ status: "known", ...JANE });
    app.setNow("2026-03-24T05:06:07.890Z");
    expect((await click(again)).body).toEqual({ status: "known", ...JANE, cookie_days: 40 });
    expect(await clicksOf(1)).toBe(1);
    app.setNow("2026-05-04T05:06:07.890Z");
    expect((await click(again)).body).toEqual({ status: "recorded", ...JANE, tid: TID_2 });
    expect(await clicksOf(1)).toBe(2);
  });

  it("drops URLs that are too long, and keeps the click", async () => {
    const { body } = await click({ ref_id: "jane", url: "x".repeat(9000), referrer: "y".repeat(9000) });
    expect(body).toEqual({ status: "recorded", ...JANE });
    expect(await app.records.get("visitor", TID)).toMatchObject({
      url: null,
      referrer: null,
    });
  });

  it("finds the promoter of a page that is tracked by its address", async () => {
    await app.v1("/promoters/create", {
      email: "d@example.com",
      ref_id: "direct",
      landing_url: "https://www.direct.example/shop/",
      url_tracking: "true",
    });
    expect(
      (await click({ url_tracking: "true", url: "http://direct.example/shop?x=1#y" })).body,
    ).toMatchObject({
      ref_id: "direct",
    });
  });

  it("honours Global Privacy Control when the account says so", async () => {
    const opted = { "sec-gpc": "1" };
    expect((await click({ ref_id: "jane" }, opted)).body).toMatchObject({ tid: TID });
    await app.records.change("account", app.account_id, { honours_privacy_control: true });
    expect((await click({ tid: TID_2, ref_id: "jane" }, opted)).body).toEqual(NOBODY);
  });

  it.each([
    [
      "https://www.acme.example",
      "track.acme.example",
      "acme.example",
      "Domain=acme.example; Path=/; Secure; ",
    ],
    ["http://localhost:3000", "localhost", "", "Path=/; "],
    ["http://localhost:3000", "localhost", "localhost", "Path=/; "],
  ])("sets the cookies itself for %s on %s", async (origin, host, domain, attributes) => {
    const answer = await answerOf(
      await app.request(`http://${host}/t/click`, {
        method: "POST",
        headers: {
          origin,
          "user-agent": CHROME,
          "content-type": "application/x-www-form-urlencoded",
        },
        body: new URLSearchParams({ cid: "acme", tid: TID, ref_id: "jane", domain }).toString(),
      }),
    );
    expect(answer.body).toEqual({ status: "recorded", ...JANE, has_cookies: true });
    expect(answer.headers.getSetCookie()).toEqual([
      `_svc_tid=${TID}; Max-Age=5184000; ${attributes}SameSite=Lax`,
      `_svc_ref=jane; Max-Age=5184000; ${attributes}SameSite=Lax`,
    ]);
  });

  it.each([
    ["https://www.acme.example", "track.other.example", "acme.example"],
    ["https://www.acme.example", "track.acme.example", "com"],
    ["https://www.acme.example", "track.acme.example", "evil.example"],
    ["https://www.acme.example", "track.acme.example", "acme.example; Domain=evil.example"],
    ["null", "track.acme.example", ""],
  ])("sets no cookie for %s on %s with the domain %s", async (origin, host, domain) => {
    const answer = await app.request(`http://${host}/t/click`, {
      method: "POST",
      headers: { origin, "user-agent": CHROME, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ cid: "acme", tid: TID, ref_id: "jane", domain }).toString(),
    });
    expect(answer.headers.get("set-cookie")).toBeNull();
  });
});

describe("POST /t/signup", () => {
  const signup = (params: Record<string, string>, headers?: Record<string, string>) =>
    app.browser("/t/signup", { tid: TID, ...params }, headers);

  it("records a lead and does not reveal whether it was known", async () => {
    await click({ ref_id: "jane" });
    for (let time = 0; time < 2; time++) {
      const { status, body } = await signup({
        email: "lead@example.com",
        ref_id: "bob",
        promoter_email: "bob@example.com",
        created_at: time === 0 ? "2020-01-01" : "soon",
        ip: time === 0 ? "203.0.113.7" : "nowhere",
        override_existing_lead: "perhaps",
      });
      expect({ status, body }).toEqual({ status: 200, body: { status: "recorded", ...JANE } });
    }
    const found = await app.records.all("lead");
    expect(found).toMatchObject([
      { email: "lead@example.com", promoter_id: 1, created_at: "2026-03-04T05:06:07.890Z" },
    ]);
  });

  it.each([
    [{ tid: TID_2 }, {}, 404, { message: "Visitor invalid or not found." }],
    [{ tid: "" }, {}, 404, { message: "Visitor invalid or not found." }],
    [{ email: "" }, {}, 400, { message: "Error. Email and uid can not be blank!" }],
    [{}, { origin: "https://evil.example" }, 403, { error: "This site may not send sign-ups" }],
    [{}, { origin: "https://acme.example.evil.example" }, 403, { error: "This site may not send sign-ups" }],
    [{}, { origin: "null" }, 403, { error: "This site may not send sign-ups" }],
  ])("refuses %o from %o with %i", async (params, headers, status, body) => {
    await click({ ref_id: "jane" });
    const answer = await signup(
      { email: "lead@example.com", ...(params as Record<string, string>) },
      headers as unknown as Record<string, string>,
    );
    expect({ status: answer.status, body: answer.body }).toEqual({ status, body });
    expect(await app.records.count("lead")).toBe(0);
  });

  const VISIT = {
    ref_id: "newsletter,jane",
    url: "https://www.acme.example/?via=jane&sub_id=blog",
    referrer: "https://blog.example/",
    consent: "given",
  };
  const leadCount = () => app.records.count("lead");

  it("records visitor, click and lead once if the sign-up comes before its click", async () => {
    const answer = { status: "recorded", ...JANE };
    expect((await signup({ email: "lead@example.com", ...VISIT })).body).toEqual(answer);
    expect(await app.records.get("visitor", TID)).toMatchObject({
      url: VISIT.url,
      referrer: VISIT.referrer,
      sub_id: "blog",
      has_consent: true,
    });
    expect((await click({ ref_id: "jane" })).body).toEqual({ ...answer, status: "known" });
    expect((await signup({ email: "lead@example.com", ...VISIT })).body).toEqual(answer);
    expect([await clicksOf(1), await leadCount()]).toEqual([1, 1]);
  });

  it("gives the lead to the promoter of its own visit, and keeps the visitor of a later link", async () => {
    await click({ tid: TID_2, ref_id: "bob" });
    app.setNow(new Date(app.services.clock().getTime() + 10_000).toISOString());
    const late = { ...VISIT, cookie_tid: TID_2, age: "60000" };
    const { body } = await signup({ email: "lead@example.com", ...late });
    expect(body).toEqual({ status: "recorded", ...JANE, tid: TID_2, ref_id: "bob" });
    const [lead] = await app.records.all("lead");
    expect(lead).toMatchObject({ tid: TID, email: "lead@example.com" });
  });

  it.each([
    ["mailto:lead@example.com?subject=Hi", "", "lead@example.com"],
    [" MAILTO:lead@example.com", "7", "lead@example.com"],
    ["n/a", "7", null],
    ["", "7", null],
  ])("reads the e-mail address %j beside the uid %j as it is meant", async (email, uid, read) => {
    await click({ ref_id: "jane" });
    expect((await signup({ email, uid })).body).toMatchObject({ status: "recorded" });
    expect(await app.records.all("lead")).toMatchObject([{ email: read, uid: uid || null }]);
  });

  it("gives a handed-over visitor to the first browser that comes by an address", async () => {
    const [first, second, third] = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`);
    const come = async (at: number, spareTid: string | undefined) => {
      const { body } = await click({ ref_id: "jane", handed_at: String(at), spare_tid: spareTid ?? "" });
      const { tid, status } = body as { tid: string; status: string };
      return [tid, status];
    };
    await click({ ref_id: "jane" });
    expect(await come(1_000, first)).toEqual([TID, "known"]);
    expect(await come(1_000, first)).toEqual([TID, "known"]);
    expect(await come(1_000, second)).toEqual([second, "recorded"]);
    expect(await come(1_000, second)).toEqual([second, "known"]);
    expect(await come(2_000, third)).toEqual([TID, "known"]);
    expect(await clicksOf(1)).toBe(2);
    const shared = { ...VISIT, handed_at: "2000", spare_tid: first ?? "" };
    expect((await signup({ email: "lead@example.com", ...shared })).body).toMatchObject({ tid: first });
    expect((await click({ ref_id: "jane", handed_at: "soon", spare_tid: "nobody" })).status).toBe(200);
  });

  it("records click and lead once if both arrive at the same time", async () => {
    await Promise.all([
      click({ ref_id: "jane" }),
      signup({ email: "lead@example.com", ...VISIT }),
      click({ ref_id: "jane" }),
      signup({ email: "lead@example.com", ...VISIT }),
    ]);
    expect([await clicksOf(1), await leadCount()]).toEqual([1, 1]);
  });

  it("records the visit of a person who had signed up before", async () => {
    await app.v1("/track/signup", { email: "lead@example.com", ref_id: "bob" });
    expect((await signup({ email: "lead@example.com", ...VISIT })).body).toEqual({
      status: "recorded",
      ...JANE,
    });
    expect([await clicksOf(1), await leadCount()]).toEqual([1, 1]);
  });

  it("gives the lead to the browser's visitor if the link belongs to nobody", async () => {
    await click({ ref_id: "jane" });
    const visit = { tid: TID_2, ref_id: "nobody", cookie_tid: TID };
    expect((await signup({ email: "lead@example.com", ...visit })).body).toEqual({
      ...NOBODY,
      status: "recorded",
    });
    expect(await app.records.all("lead")).toMatchObject([{ promoter_id: 1, tid: TID }]);
  });

  it.each([
    ["a site that may not", { origin: "https://evil.example" }, 403],
    ["a bot", { "user-agent": "Googlebot/2.1" }, 404],
  ])("makes no visitor from the sign-up of %s", async (_, headers, status) => {
    const answer = await signup({ email: "lead@example.com", ...VISIT }, headers as Record<string, string>);
    expect(answer.status).toBe(status);
    expect([await clicksOf(1), await leadCount()]).toEqual([0, 0]);
    expect(await app.records.get("visitor", TID)).toBeNull();
  });

  it("limits the sign-ups per minute from one address", async () => {
    await app.close();
    app = await startApp("memory", { publicSignups: 2 });
    const answers = [];
    for (let time = 0; time < 3; time++) answers.push(await signup({ email: "a@b.example" }));
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 429]);
    expect(answers[2]!.body).toEqual({ error: "Too many requests from this address" });
    expect(answers[2]!.headers.get("retry-after")).toMatch(/^\d+$/);
    expect((await signup({ email: "a@b.example" }, { "x-forwarded-for": "203.0.113.77" })).status).toBe(404);
  });
});

it.each([
  ["clicks", "/t/click", { publicClicks: 2 }],
  ["sign-ups", "/t/signup", { publicSignups: 2 }],
])(
  "limits the %s per minute from one /64 network, and tells scripts when to retry",
  async (_, path, limits) => {
    await app.close();
    app = await startApp("memory", limits);
    const send = (address: string) => app.browser(path, { tid: TID }, { "x-forwarded-for": address });
    const before = (await send("2001:db8:1:2::1")).status;
    expect((await send("2001:db8:1:2:3::1")).status).toBe(before);
    const { status, body, headers } = await send("2001:db8:1:2:ffff::");
    expect({ status, body }).toEqual({ status: 429, body: { error: "Too many requests from this address" } });
    expect(headers.get("retry-after")).toMatch(/^([1-9]|[1-5]\d|60)$/);
    expect(headers.get("access-control-allow-origin")).toBe("https://www.acme.example");
    expect(headers.get("access-control-expose-headers")).toBe("Retry-After");
    expect((await send("2001:db8:1:3::1")).status).toBe(before);
    expect(app.bugs).toEqual([]);
  },
);

it("limits clicks from one /48 network to those of ten /64 networks", async () => {
  await app.close();
  app = await startApp("memory", { publicClicks: 1 });
  const from = async (address: string) =>
    (await app.browser("/t/click", { tid: TID }, { "x-forwarded-for": address })).status;
  for (let network = 0; network < 10; network++) expect(await from(`2001:db8:1:${network}::1`)).toBe(200);
  expect(await from("2001:db8:1:a::1")).toBe(429);
  expect(await from("2001:db8:2:a::1")).toBe(200);
});

it.each([
  ["clicks", "/t/click", { clicksPerDay: 20 }],
  ["sign-ups", "/t/signup", { signupsPerDay: 20 }],
])(
  "keeps so many %s for an account in a day, and a tenth of it from one address",
  async (_, path, limits) => {
    await app.close();
    app = await startApp("memory", limits);
    const from = (address: string) =>
      app.browser(path, { tid: TID, email: "lead@example.com" }, { "x-forwarded-for": address });
    const known = (await from("203.0.113.200")).status;
    expect((await from("203.0.113.200")).status).toBe(known);
    const { status, body, headers } = await from("203.0.113.200");
    expect({ status, body }).toEqual({ status: 429, body: { error: "Too many requests today" } });
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(80_000);
    for (let at = 0; at < 18; at++) expect((await from(`203.0.113.${at}`)).status).toBe(known);
    expect((await from("203.0.113.100")).status).toBe(429);
    await addAccount(app, {
      name: "Other",
      public_id: "other",
      landing_url: "https://www.acme.example/",
      key: "k".repeat(32),
    });
    const sameAddress = { "x-forwarded-for": "203.0.113.200" };
    const other = await app.browser(path, { tid: TID, email: "lead@example.com", cid: "other" }, sameAddress);
    expect(other.status).toBe(known);
  },
);

it("forgets a visitor who withdraws consent although the day's clicks are used up", async () => {
  await app.close();
  app = await startApp("memory", { clicksPerDay: 1 });
  await app.v1("/promoters/create", { email: "jane@example.com", ref_id: "jane" });
  await click({ ref_id: "jane" });
  expect((await click({ ref_id: "jane", tid: TID_2 })).status).toBe(429);
  expect((await app.browser("/t/withdraw", { tid: TID })).body).toEqual({ status: "withdrawn" });
  expect(await app.records.get("visitor", TID)).toBeNull();
});

describe("what a click and a page's sign-up keep", () => {
  const kept = () => app.records.get("visitor", TID);

  it("is a page and a referrer without their queries if they are long, and neither if they still are", async () => {
    const long = "x".repeat(1_024);
    await click({
      ref_id: "jane",
      url: `https://www.acme.example/a?via=jane&sub_id=${"y".repeat(300)}&z=${long}#top`,
      referrer: `https://blog.example/${long}`,
    });
    expect(await kept()).toMatchObject({
      url: "https://www.acme.example/a",
      referrer: null,
      sub_id: "y".repeat(250),
    });
  });

  it("is a lead without its custom fields if these are longer than 2 KB", async () => {
    await click({ ref_id: "jane" });
    const sent = async (uid: string, length: number) => {
      const custom_fields = JSON.stringify({ plan: "x".repeat(length) });
      expect((await app.browser("/t/signup", { tid: TID, uid, custom_fields })).status).toBe(200);
    };
    await sent("1", 2_048 - '{"plan":""}'.length);
    await sent("2", 2_049 - '{"plan":""}'.length);
    const customFields = (await app.records.all("lead")).map((lead) => lead.custom_fields);
    expect(customFields).toEqual([{ plan: expect.any(String) }, null]);
  });
});

describe("POST /t/withdraw", () => {
  const withdraw = (tid: string) => app.browser("/t/withdraw", { tid });

  it("forgets the visitor, whose click stays counted and whose id is void", async () => {
    await click({ ref_id: "jane" });
    app.setNow(new Date(app.services.clock().getTime() + 60_000).toISOString());
    expect((await withdraw(TID.toUpperCase())).body).toEqual({ status: "withdrawn" });
    expect(await app.records.get("visitor", TID)).toBeNull();
    expect(await clicksOf(1)).toBe(1);
    const signup = await app.browser("/t/signup", { tid: TID, email: "lead@example.com" });
    expect(signup.status).toBe(404);
  });

  it("counts a visitor once whose consent is given again within a minute", async () => {
    await click({ ref_id: "jane" });
    app.setNow(new Date(app.services.clock().getTime() + 59_999).toISOString());
    await withdraw(TID);
    expect(await clicksOf(1)).toBe(0);
    expect((await click({ ref_id: "jane", tid: TID_2 })).body).toMatchObject({ status: "recorded" });
    expect(await clicksOf(1)).toBe(1);
  });

  it.each([
    ["in order", { tid: TID, ref_id: "jane" }, { tid: TID_2, ref_id: "bob", cookie_tid: TID }],
    ["late", { tid: TID_2, ref_id: "bob" }, { tid: TID, ref_id: "jane", cookie_tid: TID_2, is_past: "1" }],
  ])("forgets the visitors of earlier links, too, whose clicks came %s", async (_, first, second) => {
    await app.v1("/promoters/create", { email: "bob@example.com", ref_id: "bob" });
    for (const each of [first, second])
      expect((await click(each)).body).toMatchObject({ tid: each === first ? first.tid : TID_2 });
    expect(await app.records.all("visitor")).toHaveLength(2);
    await withdraw(TID_2);
    expect(await app.records.all("visitor")).toEqual([]);
  });

  it("forgets the twenty latest earlier links of a browser", async () => {
    await app.v1("/promoters/create", { email: "bob@example.com", ref_id: "bob" });
    const tidOf = (at: number) => `8f1b2c3d-1111-4222-8333-4444555566${10 + at}`;
    for (let at = 0; at < 22; at++) {
      const earlier = at === 0 ? {} : { cookie_tid: tidOf(at - 1) };
      await click({ tid: tidOf(at), ref_id: at % 2 === 0 ? "jane" : "bob", ...earlier });
    }
    await withdraw(tidOf(21));
    expect((await app.records.all("visitor")).map(({ tid }) => tid)).toEqual([tidOf(0)]);
  });

  it.each([TID, "nobody", ""])("answers the same for %j, which is unknown", async (tid) => {
    expect((await withdraw(tid)).body).toEqual({ status: "withdrawn" });
  });
});

describe("/t/details", () => {
  it("names the promoter that sent the visitor, by GET and by POST", async () => {
    await click({ ref_id: "jane" });
    const details = {
      ref_id: "jane",
      campaign_id: 1,
      campaign: { id: 1, name: "Default campaign" },
      promo_code: null,
      customer_promo_code: null,
      offer: null,
      promoter: { id: 1, first_name: "Jane", last_name: "Doe" },
    };
    expect((await answerOf(await app.request(`/t/details?cid=acme&tid=${TID}`))).body).toEqual({ details });
    expect((await app.browser("/t/details", { tid: TID })).body).toEqual({ details });
    expect((await app.browser("/t/details", { tid: "nobody" })).body).toEqual({ details: null });
    expect((await app.browser("/t/details", { tid: TID_2, ref_id: "Jane" })).body).toEqual({ details: null });
  });

  it("is limited by network", async () => {
    await app.close();
    app = await startApp("memory", { publicQuestions: 1 });
    const details = () => app.request(`/t/details?cid=acme&tid=${TID}`);
    expect([(await details()).status, (await details()).status]).toEqual([200, 429]);
  });
});

describe("other pages", () => {
  it("answers the preflight of the browser routes", async () => {
    const answer = await app.request("/t/click", {
      method: "OPTIONS",
      headers: { origin: "https://www.acme.example" },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("access-control-allow-methods")).toBe("GET, POST");
  });

  it("serves the script under two names, compressed and cacheable", async () => {
    const plain = await app.request("/svc.js");
    expect(await plain.text()).toBe("/* script */");
    expect(plain.headers.get("cache-control")).toBe("public, max-age=3600");
    expect(plain.headers.get("x-content-type-options")).toBe("nosniff");
    const etag = plain.headers.get("etag")!;
    expect((await app.request("/svc.js", { headers: { "if-none-match": etag } })).status).toBe(304);
    const hashed = `/svc.${etag.slice(1, 13)}.js`;
    const packed = await app.request(hashed, { headers: { "accept-encoding": "gzip, deflate, br" } });
    expect(packed.headers.get("content-encoding")).toBe("br");
    expect(packed.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    const plainAgain = await app.request(hashed, { headers: { "accept-encoding": "gzip;q=0, br;q=0.0" } });
    expect(plainAgain.headers.get("content-encoding")).toBeNull();
  });

  it("serves the script's second file by its hash, for ever and to any site", async () => {
    const hash = createHash("sha256").update("/* more */").digest("hex").slice(0, 12);
    const more = await app.request(`/svc-more.${hash}.js`);
    expect(await more.text()).toBe("/* more */");
    expect(more.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(more.headers.get("access-control-allow-origin")).toBe("*");
  });

  it.each(["svc", "svc-more"])("serves %s of a former build by its hash, as its own", async (kind) => {
    const text = `/* ${kind} of a former build */`;
    const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
    expect((await app.request(`/${kind}.${hash}.js`)).status).toBe(404);
    await app.services.store.kept.keep({ kind, name: hash, text }, { mostCount: 3, now: new Date() });
    const answer = await app.request(`/${kind}.${hash}.js`);
    const own = await app.request(
      `/svc-more.${createHash("sha256").update("/* more */").digest("hex").slice(0, 12)}.js`,
    );
    expect(await answer.text()).toBe(text);
    const changing = { etag: `"${hash}-identity"`, "content-length": String(text.length) };
    expect(Object.fromEntries(answer.headers)).toEqual({ ...Object.fromEntries(own.headers), ...changing });
    const known = await app.request(`/${kind}.${hash}.js`, { headers: { "if-none-match": `"${hash}-br"` } });
    expect(known.status).toBe(304);
  });

  it("does not serve a kept file under the hash of another", async () => {
    const kept = { kind: "svc-more", name: "0123456789ab", text: "/* another text */" };
    await app.services.store.kept.keep(kept, { mostCount: 3, now: new Date() });
    const { status, body } = await answerOf(await app.request("/svc-more.0123456789ab.js"));
    expect({ status, body }).toEqual({ status: 404, body: { error: "Not found" } });
  });

  it("serves the script by an account's own names, with its settings in front, and sets cookies by them", async () => {
    const account = (await findAccount(app.services.store, "acme"))!;
    const names = {
      global: "fpr",
      data_global: "FPROM",
      cookie: "_fprom",
      script: "fpr.js",
      reads_fragment: true,
    };
    await nameTracker(app.context, account, names);
    const answer = await app.request("/fpr.js");
    const settings = '{"account":"acme","global":"fpr","cookie":"_fprom","fragment":"1"}';
    expect(await answer.text()).toBe(
      `{const SVC_SETTINGS=${settings};/* script */window.FPROM??=window.fpr}`,
    );
    expect(answer.headers.get("cache-control")).toBe("public, max-age=3600");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    const hash = answer.headers.get("etag")!.slice(1, 13);
    expect((await app.request(`/fpr.${hash}.js`)).headers.get("cache-control")).toContain("immutable");
    const set = await app.request("http://track.acme.example/t/click", {
      method: "POST",
      headers: {
        origin: "https://www.acme.example",
        "user-agent": CHROME,
        "content-type": "application/x-www-form-urlencoded",
      },
      body: new URLSearchParams({ cid: "acme", tid: TID, ref_id: "jane", domain: "acme.example" }).toString(),
    });
    expect(set.headers.getSetCookie().map((cookie) => cookie.split("=")[0])).toEqual([
      "_fprom_tid",
      "_fprom_ref",
    ]);
  });

  it.each([
    "/fpr.js",
    "/fpr.0123456789ab.js",
    "/svc.0123456789ab.js",
    "/svc-more.js",
    "/svc-more.0123456789ab.js",
    "/svc-more.0123456789AB.js",
    "/svc-more.0123456789abc.js",
    "/svc-more.%25.js",
    "/other.0123456789ab.js",
    "/nothing",
    "/%2e%2e.js",
  ])("finds nothing at %s", async (path) => {
    const answer = await answerOf(await app.request(path));
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 404,
      body: { error: "Not found" },
    });
  });

  it.each([
    [{ global: "a-b" }, "global is not a valid variable name"],
    [{ data_global: "a;b" }, "data-global is not a valid variable name"],
    [{ cookie: "a;b" }, "cookie may have letters, digits, dashes and underscores"],
    [{ script: "../svc.js" }, "script is not a free file name"],
    [{ script: "svc.js" }, "script is not a free file name"],
    [{ script: "svc-more.js" }, "script is not a free file name"],
    [{ script: "theirs.js" }, "theirs.js belongs to another account"],
  ])("refuses the names %o", async (names, message) => {
    const other = await addAccount(app, { name: "Other", landing_url: "https://other.example" });
    await nameTracker(app.context, other.account, { script: "theirs.js" });
    const account = (await findAccount(app.services.store, "acme"))!;
    await expect(nameTracker(app.context, account, names)).rejects.toThrow(message);
  });

  it("reports that the process lives and that the store answers", async () => {
    expect((await answerOf(await app.request("/healthz"))).body).toEqual({ status: "ok" });
    expect((await answerOf(await app.request("/readyz"))).body).toEqual({ status: "ready" });
  });
});
