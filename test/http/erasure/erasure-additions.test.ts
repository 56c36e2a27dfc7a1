import { describe, expect, it } from "vitest";
import { importLead } from "../../../server/domain/people/lead/creation.ts";
import { Failure } from "../../../server/failure.ts";
import { startApp, type Answer, type TestApp } from "../../support/app.ts";
import { v1 } from "../../support/calls.ts";
import { findFaults } from "../../support/consistency.ts";
import { addPayout, movePayout } from "../../support/payouts.ts";
import { signedInBrowser } from "../../support/portal.ts";
import { racesAtEachTransaction } from "../../support/race.ts";
import type { TemporaryStore } from "../../support/temporary-store.ts";
import { createV1Promoter } from "../../support/v1-promoter.ts";
import { company, reward } from "../../support/v2.ts";
import { eraseLead, erasePromoter } from "../../support/operations.ts";

/** A word that appears only in the promoter's own data. */
const MARK = "zqxjkvzq";
const DETAILS = { wallet_email: `${MARK}@b.example` };

/** Adds something, and resolves to whether it was added. */
type Add = (app: TestApp) => Promise<boolean>;

const done = async (answer: Promise<Answer>) => (await answer).status < 300;
const unlessRefused = (work: Promise<unknown>) =>
  work.then(
    () => true,
    (error: unknown) => {
      if (error instanceof Failure) return false;
      throw error;
    },
  );
const accountOf = async (app: TestApp) => (await app.records.get("account", app.account_id))!;

/** Changes something in the portal, in a session that begins with the request. */
async function ownChange(app: TestApp, request: string, body: object): Promise<boolean> {
  const { auth_token } = (await app.records.get("promoter", 1))!;
  const { call } = await signedInBrowser(app, auth_token);
  return done(call(request, body));
}

/** Additions that would bring data of the person back to a promoter who is being erased. */
const ADDITIONS: Record<string, Add> = {
  "a payout method": (app) =>
    done(app.v2("POST", "/payout_methods", { promoter_id: 1, method: "paypal", details: DETAILS })),
  "a payout method's change": (app) => done(app.v2("PUT", "/payout_methods/1", { details: DETAILS })),
  "a promo code": (app) =>
    done(app.v2("POST", "/promo_codes", { code: MARK, reward_id: 1, promoter_campaign_id: 1 })),
  "a promo code's change": (app) => done(app.v2("PUT", "/promo_codes/1", { description: MARK })),
  "an e-mail address": (app) => done(app.v2("PUT", "/promoters/1", { email: `${MARK}@c.example` })),
  "a note": (app) => done(v1(app, "PUT", "/promoters/update", { id: "1", note: MARK })),
  "a ref token": (app) => done(v1(app, "PUT", "/promoters/update", { id: "1", new_ref_id: `${MARK}-new` })),
  "a coupon": (app) => done(app.v2("PUT", "/promoter_campaigns/1", { coupon: MARK })),
  "a promoter campaign": (app) =>
    done(v1(app, "POST", "/promoters/add_to_campaign", { id: "1", campaign_id: "2" })),
  "a sign-up of theirs": (app) =>
    done(v1(app, "POST", "/track/signup", { email: "b@b.example", ref_id: MARK, sub_id: MARK })),
  "a click": async (app) => {
    const tid = "6f1c7f6e-1111-4a5b-8c3d-000000000001";
    const url = `https://www.acme.example/?via=${MARK}`;
    const { body } = await app.browser("/t/click", { tid, ref_id: MARK, url });
    return (body as { tid: unknown }).tid !== null;
  },
  "a commission with a note": (app) => {
    const gift = { commission_type: "custom", promoter_campaign_id: 1, amount: 100, internal_note: MARK };
    return done(app.v2("POST", "/commissions", gift));
  },
  "a commission's note": (app) => done(app.v2("PUT", "/commissions/1", { external_note: MARK })),
  "a sale's note": (app) => {
    const sale = { commission_type: "sale", referral_id: 1, sale_amount: 100, internal_note: MARK };
    return done(app.v2("POST", "/commissions", sale));
  },
  "their own name": (app) => ownChange(app, "PUT /promoters/current", { profile: { first_name: MARK } }),
  "their invoices' address": (app) => ownChange(app, "PUT /invoice_details", { address: MARK }),
  "their own payout method": (app) => ownChange(app, "PUT /payout_methods/1", { details: DETAILS }),
  "their own ref id": (app) => ownChange(app, "PUT /promoter_campaigns/1", { ref_token: `${MARK}-own` }),
  "their own link": (app) => ownChange(app, "POST /referral_links", { name: MARK, promoter_campaign_id: 1 }),
  "their own link's change": (app) => ownChange(app, "PUT /referral_links/1", { name: MARK }),
  "a lead of another program": async (app) => {
    const nobody = { uid: null, username: null, first_name: null, last_name: null, website: null };
    const details = { ...nobody, email: "c@b.example", custom_fields: null, sub_id: MARK };
    const dates = { plan_id: null, customer_since: null, cancelled_at: null, created_at: null };
    const owner = { ref_token: null, promoterEmail: `${MARK}@example.com` };
    const lead = { ...owner, ...dates, details, state: "signup" } as const;
    return unlessRefused(importLead(app.context, await accountOf(app), lead));
  },
};

async function addPerson(app: TestApp): Promise<void> {
  await company(app, "POST /campaigns", { name: "B", landing_url: "https://b.example/" });
  await reward(app);
  await createV1Promoter(app, { email: `${MARK}@example.com`, ref_id: MARK, first_name: MARK });
  await company(app, "POST /payout_methods", { promoter_id: 1, method: "paypal", details: DETAILS });
  await company(app, "POST /promo_codes", { code: `${MARK}-1`, reward_id: 1, promoter_campaign_id: 1 });
  await v1(app, "POST", "/track/signup", { email: "a@b.example", ref_id: MARK });
  await v1(app, "POST", "/rewards/create", { ref_id: MARK, reward_type: "cash", amount: "100" });
  await ownChange(app, "POST /referral_links", { name: MARK, promoter_campaign_id: 1 });
}

describe("an addition to a promoter who is erased at the same moment", () => {
  it.each(Object.entries(ADDITIONS))("%s is erased with them, or refused", async (_, add) => {
    const look = async ({ engine, placesOf }: TemporaryStore) => ({
      places: await placesOf(MARK),
      faults: await findFaults(engine),
    });
    const erase = (app: TestApp) => erasePromoter(app, "1");
    const firstErased = await racesAtEachTransaction(async (app) => {
      await addPerson(app);
      return { call: () => add(app), meanwhile: () => erase(app), look };
    });
    const firstAdded = await racesAtEachTransaction(async (app) => {
      await addPerson(app);
      return { call: () => erase(app), meanwhile: () => add(app), look };
    });
    expect(firstErased.at(-1)?.answer).toBe(true);
    // In the last race of each list, the other one came too late to interfere.
    const raced = [...firstErased.slice(0, -1), ...firstAdded.slice(0, -1)];
    expect(raced.map(({ seen }) => seen)).toEqual(raced.map(() => ({ places: [], faults: [] })));
    expect(raced.length).toBeGreaterThan(3);
  });

  it.each(Object.entries(ADDITIONS))("%s is refused afterwards", async (_, add) => {
    const app = await startApp();
    await addPerson(app);
    await erasePromoter(app, "1");
    expect(await add(app)).toBe(false);
    await app.close();
  });
});

describe("an erased promoter", () => {
  it("can't be restored, given a token or made a parent", async () => {
    const app = await startApp();
    await addPerson(app);
    await erasePromoter(app, "1");
    const kid = { email: "kid@example.com", parent_promoter_id: "1" };
    expect(await v1(app, "PUT", "/promoters/refresh_token", { id: "1" })).toMatchObject({
      status: 422,
      body: { error: "Promoter was erased." },
    });
    expect(await v1(app, "POST", "/promoters/create", kid)).toMatchObject({ status: 404 });
    const { body } = await company(app, "POST /promoters/restore", { ids: [1] });
    expect(body).toMatchObject({ failed_count: 1, processing_errors: ["1: Promoter was erased."] });
    await app.close();
  });

  it("has payouts that fail without the bank's words", async () => {
    const app = await startApp();
    await addPerson(app);
    const promoter = await erasePromoter(app, "1");
    const { id } = await addPayout(app.context, promoter, { status: "processing" });
    await movePayout(app, { id, to: "failed", error: MARK });
    expect((await app.v2("GET", "/payouts")).body).toMatchObject([{ status: "failed", error: "erased" }]);
    await app.close();
  });
});

it("someone who takes the address of erased people keeps nobody from being erased", async () => {
  const app = await startApp();
  await addPerson(app);
  const { body: lead } = await v1(app, "POST", "/track/signup", { email: "lee@example.com", ref_id: MARK });
  const { id } = (lead as { lead: { id: number } }).lead;
  await v1(app, "POST", "/promoters/create", { email: "erased-1@erased.invalid" });
  for (const email of [`erased-${id}@erased.invalid`, `ERASED-${id}-2@erased.invalid`])
    expect(await v1(app, "POST", "/track/signup", { email, ref_id: MARK })).toMatchObject({ status: 200 });
  const { email } = await eraseLead(app, "lee@example.com");
  expect(email).toBe(`erased-${id}-3@erased.invalid`);
  const promoter = await erasePromoter(app, "1");
  expect(promoter.email).toBe("erased-1-2@erased.invalid");
  const { body } = await company(app, "POST /promoters/restore", { ids: [1] });
  expect(body).toMatchObject({ processing_errors: ["1: Promoter was erased."] });
  await app.close();
});

it("a sale of an erased lead counts, and names nobody again", async () => {
  const app = await startApp();
  await addPerson(app);
  const { body: lead } = await v1(app, "POST", "/track/signup", { email: "lee@example.com", ref_id: MARK });
  const { id } = (lead as { lead: { id: number } }).lead;
  const { email } = await eraseLead(app, "lee@example.com");
  const sale = { email: String(email), uid: "cus_lee", event_id: "s1", amount: "10000" };
  expect(await v1(app, "POST", "/track/sale", sale)).toMatchObject({ status: 200 });
  expect((await company(app, `GET /referrals/${id}`)).body).toMatchObject({
    email,
    uid: null,
    state: "active",
  });
  await app.close();
});
