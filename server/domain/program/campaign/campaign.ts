import { createHmac, timingSafeEqual } from "node:crypto";
import { sql, type RawBuilder, type SqlBool } from "kysely";
import { Failure, type FieldErrors } from "../../../failure.ts";
import { anyOf } from "../../../storage/query.ts";
import type { Reader, Transaction, View } from "../../../storage/store.ts";
import { flag, integer, json, table, text, time, type RowOf } from "../../../storage/table.ts";
import type { Account } from "../account/account.ts";
import type { Context } from "../../context.ts";
import type { EmailKind } from "../../events/email.ts";
import { wantedKinds } from "../company-email/company-email.ts";
import { productsNamed, type RewardEntry } from "../reward/reward.ts";
import type { Language } from "../../../languages/languages.ts";

export const ATTRIBUTIONS = ["last", "first"] as const;

/** Which promoter keeps a visitor who followed two links: the last one's, or the first one's. */
export type Attribution = (typeof ATTRIBUTIONS)[number];

export const AD_TRAFFIC_POLICIES = ["pending", "allow", "block"] as const;

/** How visits from paid ads are treated: recorded as suspicious, as clean, or not at all. */
export type AdTrafficPolicy = (typeof AD_TRAFFIC_POLICIES)[number];

/** Refunds after more than a year are rare. */
export const MAX_HOLD_DAYS = 365;

const fields = {
  id: integer(),
  name: text(),
  color: text(),
  landing_url: text(),
  /** Names of the URL parameter for the ref token. Links use the first. Empty: the script's default names. */
  ref_params: json<string[]>(),
  visitor_cookie_days: integer(),
  auto_approve_promoters: flag(),
  /** Whether commissions are approved automatically. */
  auto_approve_commissions: flag(),
  /** How long commissions are held before they are approved; 0 for no hold. */
  commission_hold_days: integer(),
  attribution: text<Attribution>(),
  /** Sites that may send sign-ups from a browser. Empty: only the landing page's own site. */
  allowed_origins: json<string[]>(),
  track_ad_traffic: text<AdTrafficPolicy>(),
  /** Whether promoters join by invitation only. */
  is_private: flag(),
  /** Whether promoters may add leads by hand, which then wait for approval. */
  promoters_may_add_leads: flag(),
  /** Whether promoters may make promo codes for the campaign's customer rewards. */
  promoters_may_make_promo_codes: flag(),
  /** Further pages that promoters may link to. */
  links: json<CampaignLink[]>(),
  /** The campaign to which successful promoters move, or null. */
  upgrade: json<CampaignUpgrade>().nullable(),
  rewards_for_promoters: json<RewardEntry[]>(),
  rewards_for_referrals: json<RewardEntry[]>(),
  /** The texts and questions of its sign-up page. Absent: only the name. */
  signup: json<CampaignSignup>().optional(),
  /** The e-mails that its promoters get. */
  emails: json<EmailKind[]>(),
  created_at: time(),
};

export type Campaign = RowOf<typeof fields>;

/** The texts and questions of a campaign's sign-up page. Null fields are left out. */
export interface CampaignSignup {
  description: string | null;
  /** Applicants must accept them. */
  terms: string | null;
  /** When the terms were last changed. Absent: they are as old as the campaign. */
  terms_since?: string;
  questions: SignupQuestion[];
  /** The texts in other languages. Absent: none. */
  translations?: SignupTranslation[];
}

/** What a sign-up page says in a language. Null: the same as in `CampaignSignup`. */
export interface SignupTranslation {
  language: Language;
  description: string | null;
  terms: string | null;
}

/** What a campaign's sign-up page says to readers of a language. Null: of none of ours. */
export function signupTexts(
  { signup }: Campaign,
  language: Language | null,
): Pick<CampaignSignup, "description" | "terms"> {
  const translated = signup?.translations?.find((each) => each.language === language);
  const terms = signup?.terms ?? null;
  return {
    description: translated?.description ?? signup?.description ?? null,
    terms: terms && (translated?.terms ?? terms),
  };
}

/** The version of the campaign's terms: since when they are what they are. Null: it has none. */
export function termsVersion({ signup, created_at }: Campaign): string | null {
  return signup?.terms ? (signup.terms_since ?? created_at) : null;
}

/** A question to applicants. */
export interface SignupQuestion {
  /** It also identifies the answer. */
  label: string;
  /** Whether the answer may have several lines. */
  is_long: boolean;
  is_required: boolean;
  /** The answers to choose from. Empty: any text. */
  choices: string[];
}

export interface CampaignLink {
  id: number;
  name: string;
  url: string;
}

export const UPGRADE_METRICS = ["customers", "revenue", "active_customers"] as const;

/** The campaign that promoters move to, and the amount of the metric that triggers it. */
export interface CampaignUpgrade {
  campaign_id: number;
  amount: number;
  metric: (typeof UPGRADE_METRICS)[number];
  /** Whether the promoters' leads move with them. */
  moves_leads: boolean;
}

export const campaigns = table("campaign", fields, {
  derived: {
    upgrade_campaign_id: ["integer", ({ upgrade }) => upgrade?.campaign_id],
    rewarded_products: [
      "text",
      ({ rewards_for_promoters, rewards_for_referrals }) =>
        productsNamed([...rewards_for_promoters, ...rewards_for_referrals]),
    ],
  },
  indexes: {
    upgrade: { on: ["upgrade_campaign_id"], where: "upgrade_campaign_id is not null" },
  },
});

/** The settings of a new campaign. Missing ones get their defaults. */
export type NewCampaign = Pick<Campaign, "name" | "landing_url"> &
  Partial<Omit<Campaign, "account_id" | "id" | "created_at">>;

/** Makes a campaign. */
export async function createCampaign(
  tx: Transaction,
  { now }: Pick<Context, "now">,
  accountId: number,
  input: NewCampaign,
): Promise<Campaign> {
  const id = await tx.nextId("campaign");
  return putCampaign(tx, now, { ...input, account_id: accountId, id });
}

/** Makes a campaign with an id that is known before. */
export async function putCampaign(
  tx: Transaction,
  now: Date,
  input: NewCampaign & Pick<Campaign, "account_id" | "id">,
): Promise<Campaign> {
  const campaign = newCampaign(now, input);
  await tx.put(campaigns, campaign);
  return campaign;
}

/** Makes a campaign's record without writing it. */
export function newCampaign(now: Date, input: NewCampaign & Pick<Campaign, "account_id" | "id">): Campaign {
  return {
    account_id: input.account_id,
    id: input.id,
    name: input.name,
    color: input.color ?? "#2563eb",
    landing_url: input.landing_url,
    ref_params: input.ref_params ?? [],
    visitor_cookie_days: input.visitor_cookie_days ?? 60,
    auto_approve_promoters: input.auto_approve_promoters ?? true,
    auto_approve_commissions: input.auto_approve_commissions ?? true,
    commission_hold_days: input.commission_hold_days ?? 0,
    attribution: input.attribution ?? "last",
    allowed_origins: input.allowed_origins ?? [],
    track_ad_traffic: input.track_ad_traffic ?? "pending",
    is_private: input.is_private ?? false,
    promoters_may_add_leads: input.promoters_may_add_leads ?? false,
    promoters_may_make_promo_codes: input.promoters_may_make_promo_codes ?? false,
    links: input.links ?? [],
    upgrade: input.upgrade ?? null,
    rewards_for_promoters: input.rewards_for_promoters ?? [],
    rewards_for_referrals: input.rewards_for_referrals ?? [],
    emails: input.emails ?? [],
    ...(input.signup && { signup: input.signup }),
    created_at: now.toISOString(),
  };
}

/** Every campaign of an account, oldest first. */
export function listCampaigns(view: View, accountId: number): Promise<Campaign[]> {
  return view.list(campaigns, "id", accountId, []);
}

/** Whether a column with a list of campaigns, such as ` 1 7 `, has any of these. Null: it is for all campaigns. */
export function isForCampaigns(column: string, ids: readonly number[]): RawBuilder<SqlBool> {
  const list = sql.ref(column);
  return anyOf([
    sql<SqlBool>`${list} is null`,
    ...ids.map((id) => sql<SqlBool>`${list} like ${`% ${id} %`}`),
  ]);
}

/** The kinds of e-mails that an account's campaigns send. */
export async function emailsOf({ view }: Transaction, accountId: number): Promise<EmailKind[]> {
  const all = await view.list(campaigns, "id", accountId, []);
  return [...all.flatMap(({ emails }) => emails), ...(await wantedKinds(view, accountId))];
}

/** @throws Failure `not_found` */
export async function loadCampaign(reader: Reader, accountId: number, id: number): Promise<Campaign> {
  const campaign = await reader.get(campaigns, accountId, id);
  if (campaign === null) throw new Failure("not_found", "Campaign not found.");
  return campaign;
}

/** The named campaign, or the account's default one. @throws Failure `not_found` */
export function loadCampaignOrDefault(
  reader: Reader,
  account: Account,
  id: number | null,
): Promise<Campaign> {
  return loadCampaign(reader, account.id, id ?? account.default_campaign_id);
}

/** The parameter in links if the campaign names none. */
const DEFAULT_REF_PARAM = "via";

/** The name of the URL parameter for the ref token in this campaign's links. */
export function refParam(campaign: Campaign): string {
  return campaign.ref_params[0] ?? DEFAULT_REF_PARAM;
}

/** An applicant's answers, by question. */
export type SignupAnswers = Record<string, string>;

/**
 * Checks an applicant's answers, and that they accept the terms. Answers to other questions are dropped.
 *
 * @throws Failure `invalid` naming each fault
 */
export function checkSignup(
  { signup }: Campaign,
  given: { answers: SignupAnswers; acceptsTerms: boolean },
): SignupAnswers {
  const faults: FieldErrors = {};
  const answers: SignupAnswers = {};
  for (const question of signup?.questions ?? []) {
    const answer = given.answers[question.label]?.trim() ?? "";
    const fault = faultOf(question, answer);
    if (fault !== null) faults[`answers[${question.label}]`] = [fault];
    else if (answer !== "") answers[question.label] = answer;
  }
  if (signup?.terms && !given.acceptsTerms) faults["terms_accepted"] = ["must be accepted"];
  if (Object.keys(faults).length > 0)
    throw new Failure("invalid", "Some answers are missing or wrong.", faults);
  return answers;
}

/** Whether a person may apply. A private campaign requires its invitation. */
export function isInvited(account: Account, campaign: Campaign, code: string | null): boolean {
  if (!campaign.is_private) return true;
  const own = Buffer.from(invitationCode(account, campaign));
  const given = Buffer.from(code ?? "");
  return own.length === given.length && timingSafeEqual(own, given);
}

/** The address of a campaign's sign-up page. An invitation is in the fragment, which never reaches a log. */
export function signupUrl(publicUrl: string, account: Account, campaign: Campaign): string {
  const page = `${publicUrl}/join/${campaign.id}`;
  return campaign.is_private ? `${page}#invitation=${invitationCode(account, campaign)}` : page;
}

const MAX_ANSWER_LENGTH = 2_000;

function faultOf({ is_required, choices }: SignupQuestion, answer: string): string | null {
  if (answer === "") return is_required ? "can't be blank" : null;
  if (answer.length > MAX_ANSWER_LENGTH) return `is too long (maximum is ${MAX_ANSWER_LENGTH} characters)`;
  return choices.length > 0 && !choices.includes(answer) ? `is not one of ${choices.join(", ")}` : null;
}

/** The code that lets people join a private campaign. It never changes. */
function invitationCode({ address_key }: Account, campaign: Campaign): string {
  return createHmac("sha256", address_key)
    .update(`invitation ${campaign.id}`)
    .digest("base64url")
    .slice(0, 22);
}
