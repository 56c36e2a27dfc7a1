import { expect } from "vitest";
import { V2_OPERATIONS } from "../../server/v2/operations.ts";
import { KEY, NOW_SECOND, answerOf, type Answer, type TestApp } from "./app.ts";

/** The headers of every V2 request. */
const V2_HEADERS = { authorization: `Bearer ${KEY}`, "account-id": "acme" };

/** Calls a company operation with or without a JSON body. A success must match its schema exactly. */
export async function company(
  app: TestApp,
  request: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const [method = "", path = ""] = request.split(" ");
  const answer = await answerOf(
    await app.request(`/api/v2/company${path}`, {
      method,
      headers: { ...V2_HEADERS, "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    }),
  );
  if (answer.status < 300) expectAsDeclared(method, path, answer);
  return answer;
}

/** Only status and body, which most tests compare. */
export async function outcome(answer: Promise<Answer>): Promise<{ status: number; body: unknown }> {
  const { status, body } = await answer;
  return { status, body };
}

/** A promoter made through V1, and the id of their promoter campaign. */
export async function join(
  app: TestApp,
  email: string,
  params: Record<string, string> = {},
): Promise<{ promoter_id: number; promoter_campaign_id: number }> {
  const { status, body } = await app.v1("/promoters/create", { email, ...params });
  expect(status).toBe(200);
  const { id, default_promotion_id } = body as { id: number; default_promotion_id: number };
  return { promoter_id: id, promoter_campaign_id: default_promotion_id };
}

/** The promoter campaign of Jane Doe, jane@example.com, when she is the first promoter. */
export const JANE = {
  id: 1,
  campaign_id: 1,
  promoter_id: 1,
  created_at: NOW_SECOND,
  promoter: { id: 1, email: "jane@example.com", name: "Jane Doe" },
  campaign: { id: 1, name: "Default campaign", color: "#2563eb" },
  state: "accepted",
  stats: { clicks_count: 0, referrals_count: 0, sales_count: 0, customers_count: 0, revenue_amount: 0 },
  coupon: null,
  display_coupon: null,
  ref_token: "jane",
  ref_link: "https://www.acme.example/?via=jane",
  direct_url: null,
  is_customized: false,
  referral_rewards_customized: false,
  promoter_rewards_customized: false,
  rewards_for_promoters: [],
  rewards_for_referrals: [],
  promo_codes: [],
};

const NO_STATS = {
  referrals_count: 0,
  sales_count: 0,
  customers_count: 0,
  promoters_count: 0,
  revenue_amount: 0,
};
/** The account's first campaign, unchanged. */
export const DEFAULT_CAMPAIGN = {
  id: 1,
  name: "Default campaign",
  color: "#2563eb",
  stats: NO_STATS,
  landing_url: "https://www.acme.example/",
  visitor_cookie_life: 60,
  ref_token_param: "?via",
  auto_approve_leads: true,
  attribution: "last",
  allowed_origins: [],
  track_ad_traffic: "pending",
  auto_approve_promoters: true,
  auto_approve_commissions: true,
  commission_hold_days: 0,
  is_private: false,
  promoters_may_add_leads: false,
  promoters_may_make_promo_codes: false,
  is_default: true,
  upgrade_details: null,
  signup_url: expect.stringMatching(
    /^https:\/\/track\.acme\.example\/join\/\d+(#invitation=[\w-]{22})?$/,
  ) as string,
  links: [],
  rewards_for_promoters: [],
  rewards_for_referrals: [],
  signup: { description: null, terms: null, questions: [], translations: [] },
  emails: {
    signup_accepted: false,
    accepted: false,
    rejected: false,
    new_referral: false,
    new_commission: false,
    payout_sent: false,
  },
};
/** The outcome of a call with faulty parameters, or, with status 400, with a record that breaks a rule. */
export function invalid(errors: Record<string, string[]>, status: 400 | 422 = 422) {
  const faults = Object.entries(errors).flatMap(([name, messages]) =>
    messages.map((message) => `${name} ${message}`),
  );
  const code = status === 422 ? "invalid_params" : "invalid_record";
  return { status, body: { message: `Validation failed: ${faults.join(", ")}`, code, errors } };
}

/** Makes a campaign. */
export async function addCampaign(
  app: TestApp,
  campaign: { name: string } & Record<string, unknown>,
): Promise<{ id: number }> {
  const { status, body } = await app.v2("POST", "/campaigns", {
    landing_url: "https://www.acme.example/",
    ...campaign,
  });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body as { id: number };
}

/** Makes a reward through V2 and returns its id. */
export async function reward(app: TestApp, over: Record<string, unknown> = {}): Promise<number> {
  const { status, body } = await company(app, "POST /rewards", {
    name: "20 percent",
    is_promoter_reward: true,
    schemas: [{ unit: "cash", amount: 20, flat_amount: false }],
    ...over,
  });
  expect(status).toBe(200);
  return (body as { id: number }).id;
}

/**
 * zod drops fields that a schema does not list, so an answer with more fields differs from its parsed self.
 */
function expectAsDeclared(method: string, path: string, { status, body }: Answer): void {
  const plain = path.replace(/\?.*$/, "");
  const declared = V2_OPERATIONS.find(([declaredMethod, route]) => {
    const pattern = route.replace("/api/v2/company", "").replace(/:\w+/g, "[^/]+");
    return declaredMethod === method && new RegExp(`^${pattern}$`).test(plain);
  });
  if (declared === undefined) throw new Error(`${method} ${path} is no operation`);
  const [, , operation] = declared;
  expect(status).toBe(operation.status ?? 200);
  expect(operation.answer.parse(body)).toEqual(body);
}
