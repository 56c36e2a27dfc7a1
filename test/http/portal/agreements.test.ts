import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answerOf, NOW, startApp, type TestApp } from "../../support/app.ts";
import { PASSWORD, visitingPromoter } from "../../support/portal.ts";
import { company } from "../../support/v2.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const LATER = "2026-03-05T05:06:07.890Z";
const CAMPAIGN = { id: 1, name: "Default campaign", color: "#2563eb" };
const TERMS = { campaign: CAMPAIGN, version: NOW, text: "Be nice." };
const CONTRACT = {
  id: 1,
  version_id: 1,
  name: "Agreement",
  checkbox_label: "I agree",
  content: "<p>With jane@example.com.</p>",
  external_link: null,
};
const NONE = { may_wait: true, terms: [], contracts: [] };
const ACCEPTED = {
  accepted_terms: [{ campaign_id: 1, version: NOW }],
  signed_contract_version_ids: [1],
};
const ok = (body: unknown) => ({ status: 200, body });
const setTerms = (terms: string | null) => company(app, "PUT /campaigns/1", { signup: { terms } });
const addContract = () =>
  company(app, "POST /contracts", {
    name: "Agreement",
    checkbox_label: "I agree",
    content_hosted: true,
    content: "<p>With {{promoter_email}}.</p>",
    default: true,
  });
const jane = () => visitingPromoter(app, "jane@example.com");
const refused = (errors: Record<string, string[]>) => ({
  status: 422,
  body: {
    message: "Some of it is not accepted, or has changed. Load the page again to read it.",
    code: "invalid_params",
    errors,
  },
});
type Jane = Awaited<ReturnType<typeof jane>>;
const stateOf = async ({ outcome }: Jane) =>
  ((await outcome("GET /session")).body as { agreements: string }).agreements;

describe("a promoter who was added", () => {
  it("accepts terms and contracts before anything else, with version and time", async () => {
    await setTerms("Be nice.");
    await addContract();
    const own = await jane();
    expect(await stateOf(own)).toBe("required");
    expect(await own.outcome("GET /agreements")).toEqual(
      ok({ may_wait: false, terms: [TERMS], contracts: [CONTRACT] }),
    );
    app.setNow(LATER);
    expect(await own.outcome("POST /agreements", ACCEPTED)).toEqual(ok(NONE));
    expect(await stateOf(own)).toBe("none");
    expect((await company(app, "GET /contract_documents")).body).toMatchObject([
      { id: 1_000_001, status: "signed", contract_version_id: 1, signed_at: LATER, created_at: NOW },
    ]);
    const log = await company(
      app,
      "GET /audit_log?filters[entity]=promoter_campaign&filters[action]=updated",
    );
    expect(log.body).toMatchObject([
      { actor: { kind: "promoter", id: 1 }, after: { accepted_terms: { version: NOW, at: LATER } } },
    ]);
  });

  it("accepts all or nothing, and only what they have read", async () => {
    await setTerms("Be nice.");
    await addContract();
    const own = await jane();
    expect(await own.outcome("POST /agreements", {})).toEqual(
      refused({
        accepted_terms: ["must be accepted: Default campaign"],
        signed_contract_version_ids: ["must be signed: Agreement"],
      }),
    );
    app.setNow(LATER);
    await setTerms("Be very nice.");
    expect(await own.outcome("POST /agreements", ACCEPTED)).toEqual(
      refused({ accepted_terms: ["must be accepted: Default campaign"] }),
    );
    expect((await own.outcome("GET /agreements")).body).toEqual({
      may_wait: false,
      terms: [{ ...TERMS, version: LATER, text: "Be very nice." }],
      contracts: [CONTRACT],
    });
  });

  it("is asked for nothing if there is nothing", async () => {
    const own = await jane();
    expect(await stateOf(own)).toBe("none");
    expect(await own.outcome("GET /agreements")).toEqual(ok(NONE));
  });
});

describe("other terms", () => {
  it("are asked for again, but a promoter who has used the portal may wait", async () => {
    await setTerms("Be nice.");
    const own = await jane();
    await own.call("POST /agreements", ACCEPTED);
    await own.call("POST /visits");
    await company(app, "PUT /campaigns/1", {
      signup: {
        terms: "Be nice.",
        translations: [{ language: "de", description: null, terms: "Sei nett." }],
      },
    });
    expect(await stateOf(own)).toBe("none");
    app.setNow(LATER);
    await setTerms("Be very nice.");
    expect(await stateOf(own)).toBe("waiting");
    const version = { campaign_id: 1, version: LATER };
    expect(await own.outcome("POST /agreements", { accepted_terms: [version] })).toEqual(ok(NONE));
  });

  it("are not the same text with the line ends of another system", async () => {
    await setTerms("Be nice.\nAlways.");
    const own = await jane();
    await own.call("POST /agreements", ACCEPTED);
    app.setNow(LATER);
    await setTerms("Be nice.\r\nAlways.\r\n");
    expect(await stateOf(own)).toBe("none");
    await setTerms("Be nice. Always.");
    expect(await stateOf(own)).toBe("required");
  });

  it("don't keep a promoter from what they have earned", async () => {
    const own = await jane();
    const reward = { ref_id: "jane", reward_type: "cash", amount: "100" };
    await app.v1("/rewards/create", reward);
    await setTerms("Be nice.");
    expect(await stateOf(own)).toBe("waiting");
  });
});

describe("a contract that asks again", () => {
  it("waits for those who have signed it, and keeps what they had signed", async () => {
    await addContract();
    const own = await jane();
    await own.call("POST /agreements", ACCEPTED);
    app.setNow(LATER);
    const changed = { content: "<p>Other</p>", ask_again: true };
    expect((await company(app, "PUT /contracts/1", changed)).body).toMatchObject({
      signed_count: 0,
      pending_count: 1,
    });
    const due = { id: 1_000_001, status: "pending", contract_version_id: 2, created_at: LATER };
    expect((await company(app, "GET /contract_documents")).body).toMatchObject([due]);
    expect((await company(app, "GET /contract_documents?filters[status]=signed")).body).toEqual([]);
    expect((await own.outcome("GET /contract_documents")).body).toMatchObject([due]);
    expect(await stateOf(own)).toBe("required");
    const again = { signed_contract_version_ids: [2] };
    expect(await own.outcome("POST /agreements", again)).toEqual(ok(NONE));
    expect((await company(app, "GET /contract_documents")).body).toMatchObject([
      { status: "signed", contract_version_id: 2, signed_at: LATER, created_at: NOW },
    ]);
    const { body: log } = await company(app, "GET /audit_log?filters[entity]=contract_document");
    expect(JSON.stringify(log)).toContain("earlier");
  });

  it("waits also for those who signed a moment later by their server's clock", async () => {
    await addContract();
    const own = await jane();
    app.setNow(LATER);
    await own.call("POST /agreements", ACCEPTED);
    app.setNow(NOW);
    await company(app, "PUT /contracts/1", { content: "<p>Other</p>", ask_again: true });
    expect(await stateOf(own)).toBe("required");
    const again = { signed_contract_version_ids: [2] };
    expect(await own.outcome("POST /agreements", again)).toEqual(ok(NONE));
    const signedAt = new Date(Date.parse(LATER) + 1).toISOString();
    expect((await company(app, "GET /contract_documents")).body).toMatchObject([
      { status: "signed", contract_version_id: 2, signed_at: signedAt },
    ]);
  });

  it("asks nobody without a new text", async () => {
    await addContract();
    const own = await jane();
    await own.call("POST /agreements", ACCEPTED);
    app.setNow(LATER);
    await company(app, "PUT /contracts/1", { name: "Partners", ask_again: true });
    expect(await stateOf(own)).toBe("none");
  });
});

it("a person who applies accepts the terms there", async () => {
  await setTerms("Be nice.");
  const answered = await answerOf(
    await app.request("/api/v2/join/1", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        email: "jane@example.com",
        password: PASSWORD,
        first_name: "Jane",
        terms_accepted: true,
      }),
    }),
  );
  expect(answered.status).toBe(201);
  const acceptedTerms = { version: NOW, at: NOW };
  expect(await app.records.get("promoterCampaign", 1)).toMatchObject({ accepted_terms: acceptedTerms });
});
