import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answerOf, NOW, startApp, type TestApp } from "../../support/app.ts";
import { appOutbox, expectAsDescribed, workOff } from "../../support/outbox.ts";
import { PASSWORD, portalBrowser, visitingPromoter, portalToken } from "../../support/portal.ts";
import { startReceiver } from "../../support/receiver.ts";
import { addCampaign, company, invalid, outcome } from "../../support/v2.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp("memory", { allowsPrivateWebhooks: true });
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const LATER = "2026-03-05T05:06:07.890Z";
const INPUT = {
  name: "Agreement",
  checkbox_label: "I agree",
  content_hosted: true,
  content: "<p>Between {{company_name}} and {{promoter_name}} ({{promoter_email}}).</p>",
};
const CONTRACT = {
  id: 1,
  ...INPUT,
  external_link: null,
  campaign_ids: [],
  default: false,
  contract_version: { id: 1, added_at: NOW, changes_made: null },
  signed_count: 0,
  pending_count: 0,
  created_at: NOW,
  updated_at: NOW,
};
const JANE = { id: 1, email: "jane@example.com", name: "jane@example.com", profile: { avatar: null } };
const DOCUMENT = {
  id: 1_000_001,
  status: "pending",
  signed_ip: null,
  contract_version_id: 1,
  signed_at: null,
  created_at: NOW,
  promoter: JANE,
  contract_version: {
    added_at: NOW,
    changes_made: null,
    external_link: null,
    content_hosted: true,
    checkbox_label: "I agree",
  },
  contract: { id: 1, name: "Agreement" },
};
const SIGNED = { ...DOCUMENT, status: "signed", signed_at: NOW };
const MISSING = (what: string) => ({
  status: 404,
  body: { message: `${what} not found.`, code: "not_found" },
});
const call = (request: string, body?: unknown) => outcome(company(app, request, body));
const make = (over: object = {}) => call("POST /contracts", { ...INPUT, ...over });
const ok = (body: unknown) => ({ status: 200, body });
const jane = () => visitingPromoter(app, "jane@example.com");
const ids = async (request: string) =>
  ((await call(request)).body as { id: number; status?: string }[]).map(({ id, status }) => [id, status]);

describe("a contract", () => {
  it("is made, listed, shown and changed", async () => {
    expect(await make()).toEqual(ok(CONTRACT));
    expect(await call("GET /contracts")).toEqual(ok([CONTRACT]));
    expect(await call("GET /contracts/1")).toEqual(ok(CONTRACT));
    app.setNow(LATER);
    const changed = { ...CONTRACT, name: "Partners", default: true, updated_at: LATER };
    expect(await call("PUT /contracts/1", { name: "Partners", default: true })).toEqual(ok(changed));
    expect(await call("GET /contracts/9")).toEqual(MISSING("Contract"));
  });

  it("gets a new version only if what is signed changes", async () => {
    await make();
    app.setNow(LATER);
    const changed = await call("PUT /contracts/1", { content: "<p>Other</p>", checkbox_label: "Yes" });
    expect(changed).toEqual(
      ok({
        ...CONTRACT,
        checkbox_label: "Yes",
        content: "<p>Other</p>",
        contract_version: { id: 2, added_at: LATER, changes_made: "checkbox_label, content" },
        updated_at: LATER,
      }),
    );
    expect(await call("PUT /contracts/1", { content: "<p>Other</p>", name: "Agreement" })).toEqual(changed);
  });

  it("keeps nothing that runs or loads, and makes paragraphs of a plain text", async () => {
    const contentOf = async (content: string) =>
      ((await make({ content })).body as { content: string }).content;
    const attack =
      '<p onclick="x()">Hi<script>x()</script><img src=x onerror=x()></p><a href="javascript:x()">a</a><iframe srcdoc="x"></iframe><svg onload=x()></svg><style>*{}</style>';
    expect(await contentOf(attack)).toBe('<p>Hi</p><a rel="noopener noreferrer" target="_blank">a</a>');
    expect(await contentOf("1 < 2 & 3\nnext\n\nlast")).toBe("<p>1 &lt; 2 &amp; 3<br />next</p>\n<p>last</p>");
  });

  it("names each fault", async () => {
    expect(await call("POST /contracts", { content_hosted: false, campaign_ids: [9] })).toEqual(
      invalid({ name: ["can't be blank"], checkbox_label: ["can't be blank"] }),
    );
    expect(await make({ content: "<p><script>x</script></p>", campaign_ids: [1, 9] })).toEqual(
      invalid({ content: ["can't be blank"], campaign_ids: ["names no campaign: 9"] }),
    );
    expect(await make({ content_hosted: false })).toEqual(invalid({ external_link: ["can't be blank"] }));
    expect(await make({ content_hosted: false, external_link: "javascript:x" })).toEqual(
      invalid({ external_link: ["is invalid"] }),
    );
    expect(await call("GET /contracts")).toEqual(ok([]));
  });

  it("is the only default one", async () => {
    await make({ default: true });
    await make({ default: true });
    expect((await call("GET /contracts")).body).toMatchObject([{ default: false }, { default: true }]);
  });

  it("is for promoters of its campaigns; the default one is for those of all others", async () => {
    const { id } = await addCampaign(app, { name: "Second" });
    await make({ default: true });
    await make({ campaign_ids: [id] });
    await jane();
    await visitingPromoter(app, "kim@example.com", { campaign_id: String(id) });
    expect(await ids("GET /contract_documents?filters[contract_id]=1")).toEqual([[1_000_001, "pending"]]);
    expect(await ids("GET /contract_documents?filters[contract_id]=2")).toEqual([[2_000_002, "pending"]]);
  });
});

describe("a promoter", () => {
  it("reads and signs a contract, which keeps its version", async () => {
    await make({ campaign_ids: [1] });
    const { outcome: own } = await jane();
    expect(await own("GET /contract_documents")).toEqual(ok([DOCUMENT]));
    expect((await own("GET /promoters/current")).body).toMatchObject({
      pending_contract_documents: ["1000001"],
    });
    const text = "<p>Between Acme and jane@example.com (jane@example.com).</p>";
    expect(await own("GET /contract_documents/1000001?content_type=html")).toEqual(
      ok({ data: { content: text } }),
    );
    expect(await own("POST /contract_documents/1000001/sign", { contract_version_id: 1 })).toEqual(
      ok(SIGNED),
    );
    app.setNow(LATER);
    await call("PUT /contracts/1", { content: "<p>Other</p>" });
    await call("PUT /promoters/1", { profile: { first_name: "Mallory" } });
    const kept = { ...SIGNED, promoter: { ...JANE, name: "Mallory" } };
    expect(await own("POST /contract_documents/1000001/sign")).toEqual(ok(kept));
    expect(await own("GET /contract_documents")).toEqual(ok([kept]));
    expect(await call("GET /contract_documents/1000001?content_type=html")).toEqual(
      ok({ data: { content: text } }),
    );
    expect((await call("GET /contracts/1")).body).toMatchObject({ signed_count: 1, pending_count: 0 });
    expect((await own("GET /promoters/current")).body).toMatchObject({ pending_contract_documents: [] });
  });

  it("signs what they have read", async () => {
    await make({ default: true });
    const { outcome: own } = await jane();
    await call("PUT /contracts/1", { content: "<p>Other</p>" });
    expect(await own("POST /contract_documents/1000001/sign", { contract_version_id: 1 })).toEqual({
      ...invalid({ contract_version_id: ["is no longer the current version"] }),
      body: {
        message: "The contract Agreement has changed since you read it. Please read it again.",
        code: "invalid_params",
        errors: { contract_version_id: ["is no longer the current version"] },
      },
    });
    expect(await own("GET /contract_documents")).toMatchObject(ok([{ status: "pending" }]));
  });

  it("reaches only their own documents, and no text of contracts that are not theirs", async () => {
    const { id } = await addCampaign(app, { name: "Second" });
    await make({ campaign_ids: [id] });
    await make({ campaign_ids: [1] });
    const { outcome: own } = await jane();
    await visitingPromoter(app, "kim@example.com");
    const missing = MISSING("Contract document");
    for (const other of [1_000_001, 2_000_002, 7])
      expect(await own(`POST /contract_documents/${other}/sign`)).toEqual(missing);
    expect(await own("GET /contract_documents/2000002?content_type=html")).toEqual(missing);
    expect(await own("POST /contract_documents/draft", { contract_id: 1 })).toEqual(MISSING("Contract"));
    expect(
      await own("POST /contract_documents/draft", {
        contract_id: 2,
        details: { email: "j@example.com", profile: { first_name: "<b>J" } },
      }),
    ).toEqual(ok({ content: "<p>Between Acme and &lt;b&gt;J (j@example.com).</p>" }));
  });

  it("can't name an address of their own, but a product of the company names theirs", async () => {
    await make({ default: true });
    const { outcome: own } = await jane();
    const given = { ip: "203.0.113.7" };
    expect(await own("POST /contract_documents/1000001/sign", { ip: "x" })).toEqual(
      invalid({ ip: ["is invalid"] }),
    );
    expect(await own("POST /contract_documents/1000001/sign", given)).toEqual(ok(SIGNED));
    await visitingPromoter(app, "kim@example.com");
    const { body } = await app.v2("POST", "/../promoters/iframe_login?promoter_id=2");
    const { access_token: token } = body as { access_token: string };
    const kim = portalBrowser(app, { authorization: `Bearer ${token}` });
    expect((await kim.outcome("POST /contract_documents/2000001/sign", given)).body).toMatchObject({
      status: "signed",
      signed_ip: "203.0.113.7",
    });
  });

  it("can't name an address by sending the cookie's token as a bearer token", async () => {
    await make({ default: true });
    const { body } = await app.v1("/promoters/create", { email: "jane@example.com" });
    const { auth_token } = body as { auth_token: string };
    const own = portalBrowser(app, { authorization: `Bearer ${await portalToken(app, auth_token)}` });
    expect(await own.outcome("POST /contract_documents/1000001/sign", { ip: "203.0.113.7" })).toEqual(
      ok(SIGNED),
    );
  });

  it("signs a contract that is kept elsewhere", async () => {
    await make({ content_hosted: false, external_link: "https://acme.example/a.pdf", default: true });
    const { outcome: own } = await jane();
    expect(await own("GET /contract_documents/1000001?content_type=html")).toEqual({
      status: 422,
      body: {
        message: "The text is not kept here, but at https://acme.example/a.pdf",
        code: "operation_failed",
      },
    });
    expect((await own("POST /contract_documents/1000001/sign")).body).toMatchObject({ status: "signed" });
  });

  it("saves a contract as a PDF file, always the same bytes, with its signature", async () => {
    await make({
      default: true,
      content:
        '<h2>הסכם</h2><p>A <b>b</b> <i>i</i> <u>u</u> <s>s</s> <a href="https://acme.example">x</a></p><pre>a\n  b</pre>' +
        '<ol type="i"><li>one<ul><li>two</li></ul></li></ol><blockquote>q</blockquote><hr />' +
        '<table><tr><th colspan="2">h</th></tr><tr><td rowspan="2">a</td><td>b<ul><li>c</li></ul></td></tr><tr><td>d</td></tr></table>',
    });
    const { outcome: own } = await jane();
    const file = async (ask: typeof own) => {
      const { status, body } = await ask("GET /contract_documents/1000001?content_type=pdf");
      expect(status).toBe(200);
      return Buffer.from((body as { data: { content: string } }).data.content, "base64");
    };
    const pending = await file(own);
    expect(pending.toString("latin1").slice(0, 5)).toBe("%PDF-");
    await own("POST /contract_documents/1000001/sign");
    const signed = await file(own);
    expect(signed.equals(pending)).toBe(false);
    app.setNow(LATER);
    await call("PUT /contracts/1", { content: "<p>Other</p>" });
    await call("PUT /promoters/1", { profile: { first_name: "Mallory" } });
    expect((await file(own)).equals(signed)).toBe(true);
    expect((await file(call)).equals(signed)).toBe(true);
  });

  it("saves a cell that is higher than a page in full", async () => {
    await make({ default: true, content: `<table><tr><td>${"word ".repeat(4_000)}</td></tr></table>` });
    await jane();
    const { body } = await call("GET /contract_documents/1000001?content_type=pdf");
    const { content } = (body as { data: { content: string } }).data;
    const pages = Buffer.from(content, "base64")
      .toString("latin1")
      .match(/\/Type \/Page\b/g);
    expect(pages).toHaveLength(6);
  });

  it("loses name and address, but not the signature, when they are erased", async () => {
    await make({ default: true });
    const { outcome: own } = await jane();
    await own("POST /contract_documents/1000001/sign");
    expect((await call("POST /promoters/1/erase")).status).toBe(200);
    expect((await call("GET /contract_documents/1000001?content_type=html")).body).toEqual({
      data: { content: "<p>Between Acme and the promoter (the promoter&#39;s e-mail address).</p>" },
    });
    const log = JSON.stringify((await call("GET /audit_log")).body);
    expect(log).not.toContain("jane@");
  });
});

describe("joining", () => {
  const join = async (over: object = {}) => {
    const { status, body } = await answerOf(
      await app.request("/api/v2/join/1", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          email: "jane@example.com",
          password: PASSWORD,
          first_name: "Jane",
          ...over,
        }),
      }),
    );
    return { status, body };
  };

  it("needs a signature of each contract, and records it with the promoter", async () => {
    await make({ campaign_ids: [1] });
    const page = await answerOf(await app.request("/api/v2/join/1"));
    expect((page.body as { contracts: unknown }).contracts).toEqual([
      {
        id: 1,
        version_id: 1,
        name: "Agreement",
        checkbox_label: "I agree",
        content: "<p>Between Acme and the promoter (the promoter&#39;s e-mail address).</p>",
        external_link: null,
      },
    ]);
    const unsigned = {
      message: "Some contracts are not signed, or have changed. Load the page again to read them.",
      code: "invalid_params",
      errors: { signed_contract_version_ids: ["must be signed: Agreement"] },
    };
    expect(await join()).toEqual({ status: 422, body: unsigned });
    expect(await join({ signed_contract_version_ids: [2] })).toEqual({ status: 422, body: unsigned });
    expect((await join({ signed_contract_version_ids: [1] })).status).toBe(201);
    expect((await call("GET /contract_documents")).body).toEqual([
      { ...SIGNED, promoter: { ...JANE, name: "Jane" } },
    ]);
    const { body: log } = await call("GET /audit_log?filters[entity]=contract_document");
    expect(log).toMatchObject([{ actor: { kind: "promoter", id: 1 }, entity_name: "Jane" }]);
  });

  it("asks a promoter who joins one more campaign for what they have not signed", async () => {
    const { id } = await addCampaign(app, { name: "Second" });
    await make({ campaign_ids: [1, id] });
    await make({ campaign_ids: [id] });
    const { outcome: own } = await jane();
    await own("POST /contract_documents/1000001/sign");
    const { body } = await own("GET /campaigns");
    expect(body).toMatchObject([
      { id: 1, contracts: [] },
      { id, contracts: [{ version_id: 2 }] },
    ]);
    expect((await own(`POST /campaigns/${id}/join`)).body).toMatchObject({
      errors: { signed_contract_version_ids: ["must be signed: Agreement"] },
    });
    expect((await own(`POST /campaigns/${id}/join`, { signed_contract_version_ids: [2] })).status).toBe(201);
    expect(await ids("GET /contract_documents?filters[status]=pending")).toEqual([]);
    expect(await ids("GET /contract_documents?filters[promoter_id]=1")).toEqual([
      [1_000_001, "signed"],
      [1_000_002, "signed"],
    ]);
  });
});

describe("the list of documents", () => {
  beforeEach(async () => {
    await make({ default: true });
    const { call: own } = await jane();
    app.setNow(LATER);
    await own("POST /contract_documents/1000001/sign");
    await visitingPromoter(app, "kim@example.com");
  });

  it("is filtered and sorted", async () => {
    const [signed, pending] = [
      [1_000_001, "signed"],
      [2_000_001, "pending"],
    ];
    expect(await ids("GET /contract_documents")).toEqual([pending, signed]);
    expect(await ids("GET /contract_documents?sorting[created_at]=asc")).toEqual([signed, pending]);
    expect(await ids("GET /contract_documents?sorting[signed_at]=desc")).toEqual([signed, pending]);
    expect(await ids("GET /contract_documents?filters[status]=pending")).toEqual([pending]);
    expect(await ids("GET /contract_documents?filters[status]=signed")).toEqual([signed]);
    expect(await ids("GET /contract_documents?q=KIM")).toEqual([pending]);
    expect(await ids("GET /contract_documents?per_page=1&page=2")).toEqual([signed]);
    expect(await call("GET /contract_documents?filters[status]=lost")).toEqual(
      invalid({ "filters[status]": ["is not one of pending, signed"] }),
    );
  });

  it("keeps signatures of a deleted contract, and asks for no more", async () => {
    expect((await call("DELETE /contracts/1")).status).toBe(200);
    expect(await ids("GET /contract_documents")).toEqual([[1_000_001, "signed"]]);
    expect(await call("GET /contracts")).toEqual(ok([]));
    expect(await call("DELETE /contracts/1")).toEqual(MISSING("Contract"));
  });
});

it("tells webhooks that a contract was signed", async () => {
  const receiver = await startReceiver();
  await call("POST /webhooks", { url: receiver.url, event_types: ["contract_document.signed"] });
  await make({ default: true });
  const { call: own } = await jane();
  await own("POST /contract_documents/1000001/sign");
  await workOff(appOutbox(app));
  expect(receiver.received.map(({ body }) => body)).toMatchObject([
    {
      event_type: "contract_document.signed",
      action: "updated",
      entity_type: "contract_document",
      entity_id: 1_000_001,
      changes: { signed_at: [null, NOW] },
      data: { status: "signed", promoter_id: 1, promoter: { email: "jane@example.com", cust_id: null } },
    },
  ]);
  expectAsDescribed(receiver.received[0]!.body);
  await receiver.close();
});
