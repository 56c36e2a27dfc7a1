import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AFFILIATE_OPERATIONS } from "../../../server/v2/affiliate/operations.ts";
import { NOW_SECOND, startApp, type TestApp } from "../../support/app.ts";
import { visitingPromoter, type PortalBrowser } from "../../support/portal.ts";
import { NO_DETAILS, addPayout } from "../../support/payouts.ts";
import { PROFILE } from "../../support/v2-promoter.ts";
import { company, invalid, outcome, reward } from "../../support/v2.ts";

let app: TestApp;
let jane: PortalBrowser;
beforeEach(async () => {
  app = await startApp();
  const rewardId = await reward(app);
  await company(app, "PUT /campaigns/1", { rewards_for_promoters: [{ reward_id: rewardId }] });
  jane = await visitingPromoter(app, "jane@example.com", { ref_id: "jane", first_name: "Jane" });
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const CAMPAIGN = { id: 1, name: "Default campaign", color: "#2563eb" };
const IN_CAMPAIGN = { id: 1, campaign_id: 1, created_at: NOW_SECOND, campaign: CAMPAIGN };
const NOTHING = { cash: 0, credits: 0, points: 0, free_months: 0, discount: 0 };
const NO_AMOUNTS = { cash: 0, credits: 0, points: 0, free_months: 0, discount_per: 0, mon_discount: 0 };
const OWN_METHODS = ["bank", "paypal", "wise", "crypto"];
const TERMS = {
  net_payout_days: 30,
  payout_cycle: "monthly",
  min_payment: 0,
  min_paying_customers: 0,
  terms_description: "Payouts are made monthly and due 30 days after the period's end.",
  selected_payout_methods: OWN_METHODS,
  payout_method_options: {},
  managed_payouts: false,
};
const METHODS_META = { selected_payout_methods: OWN_METHODS, payout_method_options: {} };
const CLICK =
  "A click counts for 60 days: everyone who signs up within that time is yours. If a visitor followed links of several promoters, the last one counts.";
const OFFER = [
  "You earn 20% of each sale, for as long as the customer buys.",
  "Commissions are approved immediately.",
  "Commissions approved in a month are paid 30 days after its end.",
  CLICK,
];
const body = async (request: string, given?: unknown) => (await jane.outcome(request, given)).body;
const sell = (email: string, amount: number) =>
  app.v1("/track/sale", {
    email,
    event_id: `sale-${email}-${amount}`,
    amount: String(amount),
    ref_id: "jane",
  });

it("shows promoters what they have earned", async () => {
  await sell("sam@example.net", 10_000);
  await company(app, "PUT /campaigns/1", { auto_approve_commissions: false });
  await sell("kim@example.net", 5_000);
  const earned = { ...NOTHING, cash: 2_000 };
  await jane.call("POST /payout_methods", { method: "wise", details: { wise_email: "jane@wise.example" } });
  expect(await body("GET /promoters/current")).toEqual({
    id: 1,
    email: "jane@example.com",
    name: "Jane",
    stats: {
      clicks_count: 0,
      referrals_count: 2,
      sales_count: 2,
      customers_count: 2,
      active_customers_count: 2,
      revenue_amount: 15_000,
    },
    balances: {
      ...earned,
      current_balance: earned,
      earnings_balance: earned,
      paid_balance: NOTHING,
      pending_balance: { ...NOTHING, cash: 1_000 },
    },
    custom_fields: {},
    first_event_at: NOW_SECOND,
    invoice_details_status: "pending",
    joined_at: NOW_SECOND,
    selected_payout_method: "wise",
    pending_contract_documents: [],
    profile: { ...PROFILE, first_name: "Jane" },
    promoter_campaigns: [
      {
        id: 1,
        campaign_id: 1,
        created_at: NOW_SECOND,
        campaign: CAMPAIGN,
        state: "accepted",
        promoter_id: 1,
        stats: {
          clicks_count: 0,
          referrals_count: 2,
          sales_count: 2,
          customers_count: 2,
          revenue_amount: 15_000,
        },
        ref_token: "jane",
        ref_link: "https://www.acme.example/?via=jane",
        has_monetary_rewards: true,
      },
    ],
    is_confirmed: true,
    parent_promoter: null,
  });
});

it("lists leads with masked addresses, newest first, by filter and page", async () => {
  await app.v1("/track/signup", {
    email: "sam@example.net",
    uid: "user-17",
    ref_id: "jane",
    sub_id: "mail",
    custom_fields: '{"plan":"secret"}',
  });
  await sell("kim@example.net", 5_000);
  const [kim, sam] = (await body("GET /referrals")) as Record<string, unknown>[];
  expect(sam).toEqual({
    id: expect.any(Number),
    uid: "user-17",
    email: "s***@example.net",
    state: "signup",
    metadata: {},
    entry_source: "api",
    created_at: NOW_SECOND,
    customer_since: null,
    sub_id: "mail",
    first_name: null,
    last_name: null,
    website: null,
    comment: null,
    is_removable: false,
    promoter_campaign: IN_CAMPAIGN,
  });
  expect(kim).toMatchObject({ email: "k***@example.net", state: "active", customer_since: NOW_SECOND });
  expect(await body("GET /referrals?filters[type]=customer")).toEqual([kim]);
  const page = await jane.call("GET /referrals?page=2&per_page=1");
  expect([page.body, page.headers.get("total")]).toEqual([[sam], "2"]);
  expect((await jane.outcome("GET /referrals?filters[email]=sam")).status).toBe(422);
});

it("lists commissions with their reasons, and exports them", async () => {
  await sell("sam@example.net", 10_000);
  await company(app, "POST /commissions", {
    commission_type: "custom",
    promoter_campaign_id: 1,
    amount: 500,
    external_note: "For your talk in May",
    internal_note: "secret",
  });
  const [custom, sale] = (await body("GET /commissions")) as Record<string, unknown>[];
  expect(sale).toEqual({
    id: expect.any(Number),
    status: "approved",
    external_note: null,
    created_at: NOW_SECOND,
    status_updated_at: null,
    promoter_campaign: IN_CAMPAIGN,
    referral: { id: expect.any(Number), uid: null, email: "s***@example.net" },
    reward: { id: 1, name: expect.any(String) },
    commission_type: "sale",
    sale_amount: 10_000,
    original_sale_amount: 10_000,
    original_sale_currency: null,
    plan_id: null,
    tier: 1,
    unit: "cash",
    amount: 2_000,
    is_paid: false,
    reason: "20% of a sale of $100.00 to s***@example.net.",
    approves_at: null,
    payout_id: null,
  });
  expect(custom).toMatchObject({
    amount: 500,
    external_note: "For your talk in May",
    reason: "For your talk in May",
    commission_type: "custom",
    reward: null,
    referral: null,
  });
  expect(JSON.stringify(custom)).not.toContain("secret");
  expect(await body("GET /commissions/export")).toBe(
    "id,created_at,status,unit,amount,sale_amount,campaign,reason,is_paid\r\n" +
      `${custom?.["id"]},${NOW_SECOND},approved,cash,500,0,Default campaign,For your talk in May,false\r\n` +
      `${sale?.["id"]},${NOW_SECOND},approved,cash,2000,10000,Default campaign,20% of a sale of $100.00 to s***@example.net.,false\r\n`,
  );
});

it("lists payouts, what is due, and a receipt once paid", async () => {
  const { id } = await addPayout(app.context, (await app.records.get("promoter", 1))!);
  const none = { promoters_count: 0, amounts: NO_AMOUNTS, total_incl_tax: 0 };
  expect(await body("GET /payouts/due_stats")).toEqual({
    meta: TERMS,
    data: {
      next: { ...none, due_date: null, period_end: null },
      overdue: {
        promoters_count: 1,
        amounts: { ...NO_AMOUNTS, cash: 10_000 },
        total_incl_tax: 12_000,
        due_date: "2026-03-02",
        period_end: "2026-01-31",
      },
      custom: { ...none, due_date: null, period_end: null },
    },
  });
  expect(await jane.outcome(`GET /payouts/${id}/receipt`)).toEqual({
    status: 422,
    body: { message: "This payout was not paid yet.", code: "operation_failed" },
  });
  await company(app, "POST /payouts/mark_as_paid", { ids: [id] });
  expect(await body("GET /payouts")).toEqual({
    data: [
      {
        id,
        status: "completed",
        amount: 10_000,
        payments_batch_id: null,
        tax_rate: 20,
        unit: "cash",
        period_start: "2026-01-01",
        period_end: "2026-01-31",
        due_date: "2026-03-02",
        paid_at: NOW_SECOND,
        processing_started_at: null,
        failed_at: null,
        error: null,
        total_incl_tax: 12_000,
        created_at: NOW_SECOND,
        payout_method: null,
        promoter: { id: 1, email: "jane@example.com", name: "Jane" },
        campaign: CAMPAIGN,
      },
    ],
    meta: TERMS,
  });
  expect(await body("GET /payouts?filters[group_ref]=another")).toEqual({ data: [], meta: TERMS });
  expect(await body(`GET /payouts/${id}/receipt`)).toMatchObject({
    number: `acme-${id}`,
    payer: { name: "Acme" },
    payee: { name: "Jane", email: "jane@example.com", company_name: null },
    currency: "USD",
    tax_amount: 2_000,
    payout: { id, amount: 10_000 },
  });
});

describe("a payout method", () => {
  it("is checked, added, and replaced as the selected one", async () => {
    const bank = { bank_country: "nl", account_holder_name: "Jane Doe", iban: "NL91 ABNA 0417 1643 00" };
    const wrong = { method: "bank", details: { ...bank, iban: "NL91ABNA0417164301" } };
    expect(await jane.outcome("POST /payout_methods", wrong)).toEqual(
      invalid({ "details[iban]": ["is not a valid IBAN"] }),
    );
    expect(await jane.outcome("POST /payout_methods", { method: "bank", details: bank })).toEqual({
      status: 200,
      body: {
        id: 1,
        method: "bank",
        date_added: NOW_SECOND,
        is_disabled: false,
        meta: {},
        is_selected: true,
        details: {
          ...NO_DETAILS,
          bank_country: "NL",
          account_holder_name: "Jane Doe",
          iban: "NL91ABNA0417164300",
        },
        managed_payouts: false,
      },
    });
    const paypal = { method: "paypal", details: { wallet_email: "jane@wallet.example" } };
    await jane.call("POST /payout_methods", paypal);
    expect(await body("GET /payout_methods")).toMatchObject({
      data: [
        { id: 1, is_selected: false },
        { id: 2, is_selected: true },
      ],
      meta: METHODS_META,
    });
    expect(await body("GET /payout_methods/2")).toMatchObject({ id: 2, method: "paypal", is_selected: true });
    expect((await jane.call("POST /payout_methods/1/select")).status).toBe(200);
    expect((await jane.call("DELETE /payout_methods/2")).status).toBe(204);
    expect(await body("GET /payout_methods")).toMatchObject({ data: [{ id: 1, is_selected: true }] });
  });

  it("that a payout uses is replaced when its details change, and only the new one is listed", async () => {
    await jane.call("POST /payout_methods", {
      method: "paypal",
      details: { wallet_email: "j@wallet.example" },
    });
    await addPayout(app.context, (await app.records.get("promoter", 1))!, {
      payout_method_id: 1,
    });
    const details = { wallet_email: "new@wallet.example" };
    expect(await jane.outcome("PUT /payout_methods/1", { details })).toMatchObject({
      status: 200,
      body: { id: 2, is_selected: true, is_disabled: false },
    });
    expect(await body("GET /payout_methods")).toMatchObject({ data: [{ id: 2, is_selected: true }] });
    expect((await jane.call("POST /payout_methods/1/select")).body).toMatchObject({ id: 2 });
  });

  it.each([
    [
      "bank",
      { bank_country: "US", account_holder_name: "J" },
      { "details[routing_aba_number]": ["can't be blank"], "details[account_number]": ["can't be blank"] },
    ],
    [
      "bank",
      {
        bank_country: "us",
        account_holder_name: "J",
        routing_aba_number: "021000022",
        account_number: "1234",
      },
      { "details[routing_aba_number]": ["is not a valid routing number"] },
    ],
    [
      "bank",
      { bank_country: "GB", account_holder_name: "J", sort_code: "12-34-5", account_number: "12345678" },
      { "details[sort_code]": ["must have 6 digits"] },
    ],
    [
      "bank",
      { bank_country: "IN", account_holder_name: "J", ifsc_code: "HDFC1001234" },
      { "details[ifsc_code]": ["must be like HDFC0001234"], "details[account_number]": ["can't be blank"] },
    ],
    [
      "bank",
      { bank_country: "MX", account_holder_name: "J", clabe: "032180000118359710" },
      { "details[clabe]": ["is not a valid CLABE"] },
    ],
    [
      "bank",
      { bank_country: "VN", account_holder_name: "J", account_number: "1234" },
      { "details[swift_bic_code]": ["can't be blank"] },
    ],
    [
      "bank",
      { bank_country: "DE", account_holder_name: "J", iban: "NL91ABNA0417164300" },
      { "details[bank_country]": ["is not the country of the IBAN, which is NL"] },
    ],
    [
      "bank",
      { bank_country: "DE", account_holder_name: "山田太郎", iban: "DE02120300000000202051" },
      { "details[account_holder_name_latin]": ["can't be blank"] },
    ],
    [
      "bank",
      {
        bank_country: "DE",
        account_holder_name: "山田太郎",
        account_holder_name_latin: "山田 Taro",
        iban: "DE02120300000000202051",
      },
      { "details[account_holder_name_latin]": ["must be in Latin letters or in kana"] },
    ],
    ["paypal", { wallet_email: "no address" }, { "details[wallet_email]": ["is invalid"] }],
    ["wise", {}, { "details[wise_email]": ["can't be blank"] }],
    [
      "crypto",
      { wallet_address: "x", crypto_currency: "BTC" },
      { "details[wallet_address]": ["is invalid"] },
    ],
  ])(
    "%s refuses details that can't be paid to",
    async (method, details, errors: Record<string, string[]>) => {
      expect(await jane.outcome("POST /payout_methods", { method, details })).toEqual(invalid(errors));
    },
  );
});

it.each([
  ["US", { routing_aba_number: "021000021", account_number: "000-1234", account_type: "savings" }],
  ["GB", { sort_code: "12-34-56", account_number: "12345678" }],
  ["GB", { iban: "GB29NWBK60161331926819" }],
  ["CA", { institution_number: "001", transit_number: "12345", account_number: "1234567" }],
  ["AU", { bsb_code: "123-456", account_number: "123456789" }],
  ["IN", { ifsc_code: "HDFC0001234", account_number: "12345678901" }],
  ["JP", { bank_code: "0001", branch_code: "123", account_number: "1234567" }],
  ["MX", { clabe: "032180000118359719" }],
  ["VN", { swift_bic_code: "BFTVVNVX", account_number: "1234567" }],
])("takes an account in %s with %j", async (bank_country, details) => {
  const given = { bank_country, account_holder_name: "Jane Doe", ...details };
  const answer = await jane.call("POST /payout_methods", { method: "bank", details: given });
  expect(answer.body).toMatchObject({ details: given });
});

it("shows which details an account needs", async () => {
  const { countries, elsewhere } = (await body("GET /bank_forms")) as {
    countries: Record<string, object>;
    elsewhere: object;
  };
  expect(countries).toMatchObject({
    DE: { required: ["iban"], optional: ["swift_bic_code"] },
    RE: { required: ["iban"], optional: ["swift_bic_code"] },
    IN: { required: ["ifsc_code", "account_number"], optional: ["bank_name"] },
  });
  expect(elsewhere).toEqual({ required: ["swift_bic_code", "account_number"], optional: ["bank_name"] });
});

it("takes an IBAN of the country that a territory's banks belong to", async () => {
  const details = {
    bank_country: "RE",
    account_holder_name: "Jane Doe",
    iban: "FR1420041010050500013M02606",
  };
  expect((await jane.outcome("POST /payout_methods", { method: "bank", details })).status).toBe(200);
});

describe("a profile's addresses", () => {
  const put = (profile: object) => jane.outcome("PUT /promoters/current", { profile });

  it("are those of sites, also without the scheme", async () => {
    const given = { website: "blog.example.com", youtube_url: "https://video.example/@jane" };
    expect((await put(given)).body).toMatchObject({
      profile: { ...given, website: "https://blog.example.com" },
    });
    expect((await put({ website: "//blog.example.com" })).body).toMatchObject({
      profile: { website: "https://blog.example.com" },
    });
    expect((await put({ website: "" })).body).toMatchObject({ profile: { website: null } });
  });

  it.each([
    "javascript:alert(1)",
    "mailto:jane@example.com",
    "data:text/html,x",
    "nowhere",
    'https://blog.example.com"onclick=1',
  ])("are not %s", async (website) => {
    const fault = { "profile[website]": ["is not the address of a site"] };
    expect(await put({ website })).toEqual(invalid(fault));
  });
});

describe("links", () => {
  const USUAL = {
    id: 0,
    name: "Default campaign",
    url: "https://www.acme.example/?via=jane",
    is_default: true,
    source: "campaign",
    sub_id: null,
    campaign: CAMPAIGN,
    promoter_campaign_id: 1,
  };
  const OWN = {
    ...USUAL,
    id: 1,
    name: "Newsletter",
    url: "https://www.acme.example/pricing?via=jane&sub_id=mail",
    is_default: false,
    source: "promoter",
    sub_id: "mail",
  };
  const given = {
    promoter_campaign_id: 1,
    name: "Newsletter",
    url: "https://www.acme.example/pricing",
    sub_id: "mail",
  };

  it("are made, changed and removed by the promoter", async () => {
    expect(await jane.outcome("POST /referral_links", given)).toEqual({ status: 201, body: OWN });
    expect(await jane.outcome("GET /referral_links/1")).toEqual({ status: 200, body: OWN });
    expect(await body("GET /referral_links")).toEqual([USUAL, OWN]);
    const { body: shown } = await company(app, "GET /promoter_campaigns/1/referral_links");
    expect(shown).toMatchObject([{ id: 0 }, { id: 1, sub_id: "mail", source: "promoter" }]);
    expect(await body("PUT /referral_links/1", { url: null })).toEqual({
      ...OWN,
      url: "https://www.acme.example/?via=jane&sub_id=mail",
    });
    expect((await jane.call("DELETE /referral_links/1")).status).toBe(204);
    expect(await body("GET /referral_links")).toEqual([USUAL]);
  });

  it("lead to the campaign's own site only", async () => {
    const foreign = { ...given, url: "https://acme.example.evil.example/" };
    expect(await jane.outcome("POST /referral_links", foreign)).toEqual(
      invalid({ url: ["must be a page of acme.example"] }),
    );
  });

  it("follow a new referral id, which nobody else may have", async () => {
    await visitingPromoter(app, "kim@example.com", { ref_id: "kim" });
    expect(await jane.outcome("PUT /promoter_campaigns/1", { ref_token: "kim" })).toEqual(
      invalid({ ref_token: ["has already been taken"] }, 400),
    );
    expect(await body("PUT /promoter_campaigns/1", { ref_token: "Jane-Doe" })).toMatchObject({
      ref_link: "https://www.acme.example/?via=jane-doe",
    });
  });
});

it("lists campaigns that are open, and joins one by its rules", async () => {
  const made = { name: "Second", landing_url: "https://www.acme.example/", auto_approve_promoters: false };
  const signup = {
    terms: "Be nice.",
    questions: [{ label: "Where do you publish?", is_required: true, choices: ["Blog"] }],
  };
  await company(app, "POST /campaigns", { ...made, signup });
  await company(app, "POST /campaigns", { ...made, name: "Private", is_private: true });
  expect(await body("GET /campaigns")).toEqual([
    {
      ...CAMPAIGN,
      description: null,
      terms: null,
      contracts: [],
      questions: [],
      offer: OFFER,
      needs_approval: false,
      state: "accepted",
    },
    {
      ...CAMPAIGN,
      id: 2,
      name: "Second",
      description: null,
      terms: "Be nice.",
      contracts: [],
      questions: [{ label: "Where do you publish?", is_long: false, is_required: true, choices: ["Blog"] }],
      offer: [CLICK],
      needs_approval: true,
      state: null,
    },
  ]);
  expect(await jane.outcome("POST /campaigns/2/join", {})).toEqual({
    status: 422,
    body: {
      message: "Some answers are missing or wrong.",
      code: "invalid_params",
      errors: { "answers[Where do you publish?]": ["can't be blank"], terms_accepted: ["must be accepted"] },
    },
  });
  const answers = { "Where do you publish?": "Blog" };
  expect(await jane.outcome("POST /campaigns/2/join", { answers, terms_accepted: true })).toMatchObject({
    status: 201,
    body: { id: 2, state: "pending" },
  });
  expect((await jane.outcome("POST /campaigns/3/join", {})).status).toBe(404);
});

it("shows the promoter in their campaigns, with the page for people whom they invite", async () => {
  const joined = {
    id: 1,
    campaign_id: 1,
    created_at: NOW_SECOND,
    campaign: { ...CAMPAIGN, description: null, landing_url: "https://www.acme.example/" },
    state: "accepted",
    promoter_id: 1,
    stats: { clicks_count: 0, referrals_count: 0, sales_count: 0, customers_count: 0, revenue_amount: 0 },
    ref_token: "jane",
    ref_link: "https://www.acme.example/?via=jane",
    has_monetary_rewards: true,
    coupon: null,
    display_coupon: null,
    rewards_for_promoters: [expect.objectContaining({ apply_on: "all", reward_id: 1 })],
    rewards_for_referrals: [],
    promo_codes: [],
    recruitment_link_url: "https://track.acme.example/join/1#ref=jane",
    track_ad_traffic: null,
    may_add_leads: false,
    promo_code_rewards: [],
    offer: OFFER,
    goals: [],
  };
  expect(await body("GET /promoter_campaigns")).toEqual([joined]);
  await company(app, "PUT /promoter_campaigns/1", { state: "pending" });
  expect(await body("GET /promoter_campaigns")).toEqual([
    { ...joined, state: "pending", recruitment_link_url: null },
  ]);
  await company(app, "PUT /promoter_campaigns/1", { state: "accepted" });
  await company(app, "PUT /campaigns/1", { is_private: true });
  expect(await body("GET /promoter_campaigns")).toEqual([{ ...joined, recruitment_link_url: null }]);
  await company(app, "POST /rewards/1/hide");
  expect(await body("GET /promoter_campaigns")).toMatchObject([{ rewards_for_promoters: [] }]);
});

it("keeps the e-mails that the promoter wants", async () => {
  const all = {
    id: 1,
    company_domain: "www.acme.example",
    emails_opt_drip: true,
    emails_opt_new_commission: true,
    emails_opt_new_referral: true,
    emails_opt_payout: true,
    company_name: "Acme",
    marketing_consent: true,
  };
  const meta = { email: "jane@example.com" };
  expect(await body("GET /email_settings")).toEqual({ data: [all], meta });
  const fewer = { ...all, emails_opt_new_referral: false, marketing_consent: false };
  const given = { emails_opt_new_referral: false, marketing_consent: false };
  expect(await body("PUT /email_settings/1", { ...given, e: "jane@example.com" })).toEqual(fewer);
  expect(await body("GET /email_settings")).toEqual({ data: [fewer], meta });
});

it("asks for approval again after invoice details have changed", async () => {
  await company(app, "PUT /promoters/1", { invoice_details_status: "approved" });
  const details = {
    company_name: "Doe Ltd",
    company_number: null,
    vat_id: null,
    vat_id_status: null,
    vat_id_checked_at: null,
    address: null,
    country: null,
  };
  expect(await body("PUT /invoice_details", { company_name: "Doe Ltd" })).toEqual({
    status: "pending",
    is_required: false,
    ...details,
  });
  expect(await body("PUT /promoters/current", { profile: { first_name: "Janet" } })).toMatchObject({
    name: "Janet",
    profile: { company_name: "Doe Ltd" },
  });
});

it("charts and reports the promoter's own figures alone", async () => {
  await visitingPromoter(app, "kim@example.com", { ref_id: "kim" });
  await app.v1("/track/sale", { email: "x@example.net", event_id: "x", amount: "700", ref_id: "kim" });
  await sell("sam@example.net", 10_000);
  const range = "period_from=2026-03-03&period_to=2026-03-04";
  expect(await body(`GET /promoters/chart_data?${range}&selection=commissions`)).toEqual({
    period_from: "2026-03-03",
    period_to: "2026-03-04",
    selection: "commissions",
    selection_items: [
      ["2026-03-03", 0],
      ["2026-03-04", 2_000],
    ],
    total: 2_000,
    group_by: "day",
  });
  const report = "start_date=2026-03-01&end_date=2026-03-31&group_by=month&columns=revenue_amount";
  const march = { period: "2026-03", id: "2026-03-01", data: { revenue_amount: 10_000 } };
  expect(await body(`GET /reports/overview?${report}`)).toEqual([march]);
  expect(await body(`GET /reports/overview?${report}&totals=true`)).toEqual([
    march,
    { period: "total", id: "total", data: { revenue_amount: 10_000 } },
  ]);
  const longer = report.replace("2026-03-01", "2026-02-01");
  expect(await body(`GET /reports/overview?${longer}&sorting[revenue_amount]=desc`)).toMatchObject([
    march,
    { period: "2026-02" },
  ]);
  expect(await body(`GET /reports/download?${report}`)).toBe("period,revenue_amount\r\n2026-03,10000\r\n");
});

it("reports on channels, from the click to the commission", async () => {
  const tid = "11111111-1111-4111-8111-111111111111";
  const click = (url: string, id: string) =>
    app.browser("/t/click", { tid: id, ref_id: "jane", url: `https://www.acme.example/?via=jane${url}` });
  await click("&sub_id=letter", tid);
  await click("&sub_id=video", "22222222-2222-4222-8222-222222222222");
  await click("&sub_id=letter", "33333333-3333-4333-8333-333333333333");
  await click("", "44444444-4444-4444-8444-444444444444");
  await app.v1("/track/signup", { email: "sam@example.net", tid });
  await sell("sam@example.net", 10_000);
  const columns = "columns[]=clicks_count&columns[]=referrals_count&columns[]=promoter_earnings_amount";
  const report = (range: string) => body(`GET /reports/sub_ids?${range}&group_by=month&${columns}`);
  const channel = (name: string, data: object) => ({
    sub_id: name,
    id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    data,
    sub_data: [{ period: "2026-03", id: "2026-03-01", data }],
  });
  const letter = channel("letter", { clicks_count: 2, referrals_count: 1, promoter_earnings_amount: 2_000 });
  const video = channel("video", { clicks_count: 1, referrals_count: 0, promoter_earnings_amount: 0 });
  const march = "start_date=2026-03-01&end_date=2026-03-31";
  expect(await report(march)).toEqual([letter, video]);
  expect(await report(`${march}&sorting[clicks_count]=asc`)).toEqual([video, letter]);
  expect(await report(`${march}&q=vid`)).toEqual([video]);
  expect(await report("start_date=2026-02-01&end_date=2026-02-28")).toEqual([]);
  const page = { name: "https://www.acme.example/", clicks_count: 4, referrals_count: 1, customers_count: 1 };
  const money = { sales_count: 1, revenue_amount: 10_000, promoter_earnings_amount: 2_000 };
  await app.v1("/track/signup", { email: "kim@example.net", ref_id: "jane" });
  const unknown = {
    name: "unknown",
    clicks_count: 0,
    referrals_count: 1,
    customers_count: 0,
    sales_count: 0,
    revenue_amount: 0,
    promoter_earnings_amount: 0,
  };
  expect(await body(`GET /reports/origins?by=page&${march}`)).toEqual([{ ...page, ...money }, unknown]);
  expect(await body(`GET /reports/origins?by=source&${march}`)).toEqual([
    { ...page, ...money, name: "direct", referrals_count: 2 },
  ]);
  expect(await body("GET /reports/origins?by=page&start_date=2026-02-01&end_date=2026-02-28")).toEqual([]);
  expect(await body(`GET /reports/origins/download?by=page&${march}`)).toBe(
    "name,clicks_count,referrals_count,customers_count,sales_count,revenue_amount,promoter_earnings_amount\r\n" +
      "https://www.acme.example/,4,1,1,1,10000,2000\r\nunknown,0,1,0,0,0,0\r\n",
  );
  expect(await body("GET /reports/origins?by=page&start_date=2026-03-02&end_date=2026-03-01")).toMatchObject({
    message: "The start date is after the end date",
  });
  expect(await body(`GET /reports/sub_ids/download?${march}&group_by=year&${columns}`)).toBe(
    "sub_id,clicks_count,referrals_count,promoter_earnings_amount\r\nletter,2,1,2000\r\nvideo,1,0,0\r\n",
  );
});

it("lists the promoters whom a promoter brought in", async () => {
  await app.v1("/promoters/create", {
    email: "alex@example.com",
    first_name: "Alex",
    last_name: "Secret",
    parent_promoter_id: "1",
  });
  expect(await body("GET /promoters/sub_affiliates")).toEqual([
    {
      id: 2,
      name: "Alex",
      email: "a***@example.com",
      joined_at: NOW_SECOND,
      stats: {
        clicks_count: 0,
        referrals_count: 0,
        sales_count: 0,
        customers_count: 0,
        revenue_amount: 0,
        active_customers_count: 0,
      },
    },
  ]);
});

describe("another promoter's things", () => {
  const RANGE = "start_date=2026-03-01&end_date=2026-03-31&group_by=month&columns=revenue_amount";
  /** Each operation that takes an id, with a body that it would accept, and what it answers about another's id. */
  const FOREIGN: Record<string, [query: string, body: unknown, answer: unknown]> = {
    "PUT /promoter_campaigns/:id": ["", { ref_token: "stolen" }, 404],
    "POST /referral_links": ["", { promoter_campaign_id: 1, name: "Mine" }, 404],
    "GET /referral_links/:id": ["", undefined, 404],
    "PUT /referral_links/:id": ["", { name: "Mine" }, 404],
    "DELETE /referral_links/:id": ["", undefined, 404],
    "POST /referrals": ["", { promoter_campaign_id: 1, email: "mine@example.net" }, 404],
    "GET /referrals/:id": ["", undefined, 404],
    "PUT /referrals/:id": ["", { comment: "Mine" }, 404],
    "DELETE /referrals/:id": ["", undefined, 404],
    "POST /promo_codes": ["", { promoter_campaign_id: 1, code: "MINE" }, 404],
    "PUT /promo_codes/:id": ["", { code: "MINE" }, 404],
    "DELETE /promo_codes/:id": ["", undefined, 404],
    "PUT /email_settings/:id": ["", { emails_opt_payout: false }, 404],
    "GET /contract_documents/:id": ["?content_type=html", undefined, 404],
    "POST /contract_documents/:id/sign": ["", {}, 404],
    "POST /contract_documents/draft": ["", { contract_id: 1 }, 404],
    "GET /payouts/:id/receipt": ["", undefined, 404],
    "GET /invoices/:id/pdf": ["", undefined, 404],
    "PUT /payout_methods/:id": ["", { details: { wallet_email: "kim@example.com" } }, 404],
    "DELETE /payout_methods/:id": ["", undefined, 404],
    "POST /payout_methods/:id/select": ["", undefined, 404],
    "GET /referral_links": ["?promoter_campaign_id=1", undefined, []],
    "GET /referrals": ["?filters[campaign_id]=1", undefined, []],
    "GET /commissions": ["?filters[campaign_id]=1", undefined, []],
    "GET /payouts": ["?filters[campaign_id]=1", undefined, { data: [], meta: TERMS }],
    "GET /promo_codes": ["", undefined, []],
    "GET /payout_methods": ["", undefined, { data: [], meta: METHODS_META }],
    "GET /payout_methods/:id": ["", undefined, 404],
    "GET /promoters/sub_affiliates": ["", undefined, []],
    "GET /promoters/chart_data": [
      "?promoter_campaign_id=1&period_from=2026-03-04&period_to=2026-03-04&selection=revenue",
      undefined,
      expect.objectContaining({ total: 0 }),
    ],
    "GET /reports/sub_ids": [
      "?promoter_campaign_id=1&start_date=2026-03-01&end_date=2026-03-31&group_by=month&columns=clicks_count",
      undefined,
      [],
    ],
    "GET /reports/sub_ids/download": [
      "?promoter_campaign_id=1&start_date=2026-03-01&end_date=2026-03-31&group_by=month&columns=clicks_count",
      undefined,
      "sub_id,clicks_count\r\n",
    ],
    "GET /reports/overview": [
      `?promoter_campaign_id=1&${RANGE}`,
      undefined,
      [{ period: "2026-03", id: "2026-03-01", data: { revenue_amount: 0 } }],
    ],
  };
  /** These take no id, and show or change only the promoter who is signed in. */
  const OWN_ALONE = new Set([
    "GET /session",
    "DELETE /session",
    "DELETE /sessions",
    "GET /promoters/current",
    "PUT /promoters/current",
    "PUT /language",
    "POST /visits",
    "POST /promoters/set_password",
    "POST /promoters/archive",
    "GET /assets",
    "GET /asset_categories",
    "GET /agreements",
    "POST /agreements",
    "GET /contract_documents",
    "GET /campaigns",
    "POST /campaigns/:id/join",
    "GET /promoter_campaigns",
    "GET /commissions/export",
    "GET /referrals/export",
    "GET /payments",
    "GET /payouts/export",
    "GET /payouts/due_stats",
    "GET /bank_forms",
    "POST /payout_methods",
    "GET /stripe_account",
    "POST /stripe_account",
    "POST /stripe_account/check",
    "GET /invoice_details",
    "PUT /invoice_details",
    "GET /invoices",
    "GET /invoice_agreement",
    "POST /invoice_agreement",
    "GET /tax_details",
    "PUT /tax_details",
    "GET /email_settings",
    "GET /reports/download",
    "GET /reports/origins",
    "GET /reports/origins/download",
  ]);

  it("are out of reach in each operation", async () => {
    await sell("sam@example.net", 10_000);
    await openToPromoters();
    const added = await jane.outcome("POST /referrals", {
      promoter_campaign_id: 1,
      email: "pat@example.net",
    });
    const { id: leadId } = added.body as { id: number };
    await jane.call("POST /referral_links", { promoter_campaign_id: 1, name: "Newsletter" });
    await jane.call("POST /payout_methods", { method: "paypal", details: { wallet_email: "j@example.com" } });
    await app.v1("/promoters/create", { email: "alex@example.com", parent_promoter_id: "1" });
    await jane.call("POST /promo_codes", { code: "JANE", promoter_campaign_id: 1 });
    const { id: payoutId } = await addPayout(app.context, (await app.records.get("promoter", 1))!);
    const before = await body("GET /referral_links");
    const lead = await body(`GET /referrals/${leadId}`);
    const codes = await body("GET /promo_codes");
    const kim = await visitingPromoter(app, "kim@example.com", { ref_id: "kim" });
    for (const [method, path] of AFFILIATE_OPERATIONS) {
      const name = `${method} ${path.replace("/api/v2/affiliate", "")}`;
      if (OWN_ALONE.has(name)) continue;
      const [query, given, answer] = FOREIGN[name] ?? ["", undefined, "this table misses it"];
      const ids = [
        ["/payouts", payoutId],
        ["/referrals", leadId],
      ] as const;
      const [, id = 1] = ids.find(([start]) => path.includes(start)) ?? [];
      const got = await kim.outcome(name.replace(":id", String(id)) + query, given);
      // The usual link of one's own promoter campaign is not in a list of another's.
      expect({ name, answer: answer === 404 ? got.status : got.body }).toEqual({ name, answer });
    }
    expect(await body("GET /referral_links")).toEqual(before);
    expect(await body(`GET /referrals/${leadId}`)).toEqual(lead);
    expect(await body("GET /promo_codes")).toEqual(codes);
    expect(await outcome(company(app, "GET /promoter_campaigns/search?q=stolen"))).toEqual({
      status: 200,
      body: [],
    });
  });
});

/** Lets promoters add leads and make promo codes. */
async function openToPromoters(): Promise<void> {
  const rewardId = await reward(app, { is_promoter_reward: false, duration: "once" });
  await company(app, "PUT /campaigns/1", {
    promoters_may_add_leads: true,
    promoters_may_make_promo_codes: true,
    rewards_for_referrals: [{ reward_id: rewardId }],
  });
}
