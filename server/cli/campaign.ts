import { Option, type Command } from "commander";
import { loadAccount, type Account } from "../domain/program/account/account.ts";
import {
  AD_TRAFFIC_POLICIES,
  ATTRIBUTIONS,
  listCampaigns,
  loadCampaign,
  MAX_HOLD_DAYS,
  type AdTrafficPolicy,
  type Attribution,
  type Campaign,
  type CampaignSignup,
  type SignupQuestion,
} from "../domain/program/campaign/campaign.ts";
import {
  createFullCampaign,
  updateCampaign,
  type CampaignChanges,
} from "../domain/program/campaign/changes.ts";
import { EMAIL_KINDS, type EmailKind } from "../domain/events/email.ts";
import { campaignIdOf, webAddress, wholeNumber } from "./options.ts";
import { print, withStore } from "./store.ts";

/** Undefined if an option is missing, false for `--no-…`, which empties a list. */
interface CampaignOptions {
  name?: string;
  landingUrl?: string;
  param?: string[] | false;
  cookieDays?: number;
  autoApprove?: boolean;
  autoApproveCommissions?: boolean;
  holdDays?: number;
  attribution?: Attribution;
  allowOrigin?: string[] | false;
  adTraffic?: AdTrafficPolicy;
  emails?: EmailKind[] | false;
  default?: boolean;
}

const MAX_COOKIE_DAYS = 3_650;

/** Adds the commands that make and change campaigns. */
export function campaignCommands(program: Command): void {
  const campaign = program.command("campaign").description("campaigns of an account");
  settings(campaign.command("create <account-id> <name>"))
    .description("create a campaign")
    .requiredOption("--landing-url <url>", "where its links lead", webAddress)
    .action(create);
  settings(campaign.command("update <account-id> <campaign-id>"))
    .description("change a campaign; options left out stay unchanged")
    .option("--name <name>", "its name", nonBlank("--name"))
    .option("--landing-url <url>", "where its links lead", webAddress)
    .action(update);
  campaign
    .command("emails <account-id> <campaign-id> [kind...]")
    .description(`set which e-mails its promoters get: ${EMAIL_KINDS.join(", ")}; without a kind, none`)
    .action((accountId: string, campaignId: string, kinds: string[]) =>
      update(accountId, campaignId, { emails: emailKinds(kinds) }),
    );
  signupCommand(campaign);
  campaign
    .command("list <account-id>")
    .description("list campaigns")
    .action((accountId: string) =>
      withStore(async ({ store }) => {
        const owner = await loadAccount(store, accountId);
        print((await listCampaigns(store, owner.id)).map((each) => row(each, owner)));
      }),
    );
}

/** The options that `create` and `update` share. */
function settings(command: Command): Command {
  return command
    .option(
      "--param <name...>",
      "names of the URL parameter that holds the ref id; links use the first",
      listOf("--param"),
    )
    .option("--no-param", "use the usual names")
    .option(
      "--cookie-days <days>",
      "lifetime of the visitor cookie (usually 60)",
      wholeNumber("--cookie-days", [1, MAX_COOKIE_DAYS]),
    )
    .option("--auto-approve", "accept new promoters immediately (default)")
    .option("--no-auto-approve", "keep new promoters pending until they are approved")
    .option("--auto-approve-commissions", "approve commissions immediately (default)")
    .option("--no-auto-approve-commissions", "keep commissions pending until they are approved")
    .option(
      "--hold-days <days>",
      "days that commissions are held before they are approved (usually 0)",
      wholeNumber("--hold-days", [0, MAX_HOLD_DAYS]),
    )
    .addOption(
      new Option(
        "--attribution <which>",
        "which promoter a visitor of two links belongs to (usually the last)",
      ).choices(ATTRIBUTIONS),
    )
    .option(
      "--allow-origin <origin...>",
      "sites that may send sign-ups from a browser",
      listOf("--allow-origin"),
    )
    .option("--no-allow-origin", "only the landing page's own site (default)")
    .addOption(
      new Option("--ad-traffic <policy>", "how to treat visits from ads (usually pending)").choices(
        AD_TRAFFIC_POLICIES,
      ),
    )
    .addOption(new Option("--emails <kind...>", "e-mails that its promoters get").choices(EMAIL_KINDS))
    .option("--no-emails", "no e-mails (default)")
    .option("--default", "make it the account's default campaign");
}

function create(
  accountId: string,
  name: string,
  options: CampaignOptions & { landingUrl: string },
): Promise<void> {
  return withStore(async (context) => {
    const { id } = await loadAccount(context.store, accountId);
    const landing_url = options.landingUrl;
    const input = { ...changesOf(options), name, landing_url };
    const made = await context.store.transact((tx) => createFullCampaign(tx, context, id, input));
    print(row(made, await loadAccount(context.store, accountId)));
  });
}

function update(accountId: string, campaignId: string, options: CampaignOptions): Promise<void> {
  return withStore(async (context) => {
    const { id: ownerId } = await loadAccount(context.store, accountId);
    const changes = changesOf(options);
    const input = { id: campaignIdOf(campaignId), changes };
    const changed = await context.store.transact((tx) => updateCampaign(tx, context, ownerId, input));
    print(row(changed, await loadAccount(context.store, accountId)));
  });
}

/** A campaign as the commands show it, by the names of their options. */
function row(campaign: Campaign, { default_campaign_id }: Account) {
  return {
    id: campaign.id,
    name: campaign.name,
    landing_url: campaign.landing_url,
    link_parameters: campaign.ref_params,
    cookie_days: campaign.visitor_cookie_days,
    auto_approve: campaign.auto_approve_promoters,
    auto_approve_commissions: campaign.auto_approve_commissions,
    hold_days: campaign.commission_hold_days,
    attribution: campaign.attribution,
    allowed_origins: campaign.allowed_origins,
    ad_traffic: campaign.track_ad_traffic,
    is_private: campaign.is_private,
    emails: campaign.emails,
    promoter_reward_ids: campaign.rewards_for_promoters.map(({ reward_id }) => reward_id),
    customer_reward_ids: campaign.rewards_for_referrals.map(({ reward_id }) => reward_id),
    is_default: campaign.id === default_campaign_id,
    created_at: campaign.created_at,
  };
}

function changesOf(options: CampaignOptions): CampaignChanges {
  return {
    name: options.name,
    landing_url: options.landingUrl,
    ref_params: listed(options.param),
    visitor_cookie_days: options.cookieDays,
    auto_approve_promoters: options.autoApprove,
    auto_approve_commissions: options.autoApproveCommissions,
    commission_hold_days: options.holdDays,
    attribution: options.attribution,
    allowed_origins: listed(options.allowOrigin),
    track_ad_traffic: options.adTraffic,
    emails: listed(options.emails),
    is_default: options.default,
  };
}

function listed<T>(values: T[] | false | undefined): T[] | undefined {
  return values === false ? [] : values && [...new Set(values)];
}

function emailKinds(values: string[]): EmailKind[] {
  const kinds: readonly string[] = EMAIL_KINDS;
  const unknown = values.find((value) => !kinds.includes(value));
  if (unknown === undefined) return values as EmailKind[];
  throw new Error(`${unknown} is not a kind of e-mail; choose from ${EMAIL_KINDS.join(", ")}`);
}

/** Refuses a blank value, for example from an unset shell variable. */
function nonBlank(option: string) {
  return (value: string): string => {
    if (value.trim() === "") throw new Error(`${option} must not be blank`);
    return value.trim();
  };
}

function listOf(option: string) {
  const read = nonBlank(option);
  return (value: string, before: string[] | undefined): string[] => [...(before ?? []), read(value)];
}

/** Undefined if an option is missing, false for `--no-…`, which removes a value. */
interface SignupOptions {
  description?: string | false;
  terms?: string | false;
  question?: string[];
  requiredQuestion?: string[];
  questions?: boolean;
}

/** Adds the command that sets what a campaign's sign-up page says and asks. */
function signupCommand(campaign: Command): void {
  campaign
    .command("signup <account-id> <campaign-id>")
    .description("set what the sign-up page says and asks; options left out stay unchanged")
    .option("--description <text>", "what it says about the campaign")
    .option("--no-description", "say nothing")
    .option("--terms <text>", "the terms that people must accept")
    .option("--no-terms", "require no acceptance of terms")
    .option("--question <text...>", "optional questions")
    .option("--required-question <text...>", "required questions")
    .option("--no-questions", "ask nothing")
    .action(setSignup);
}

function setSignup(accountId: string, campaignId: string, options: SignupOptions): Promise<void> {
  return withStore(async (context) => {
    const { id: ownerId } = await loadAccount(context.store, accountId);
    const id = campaignIdOf(campaignId);
    const { signup } = await loadCampaign(context.store, ownerId, id);
    const before = signup ?? { description: null, terms: null, questions: [] };
    const changes = { signup: signupAfter(before, options) };
    print(await context.store.transact((tx) => updateCampaign(tx, context, ownerId, { id, changes })));
  });
}

function signupAfter(before: CampaignSignup, options: SignupOptions): CampaignSignup {
  const { description, terms, question = [], requiredQuestion = [], questions } = options;
  const given = [
    ...requiredQuestion.map((label) => questionOf(label, true)),
    ...question.map((label) => questionOf(label, false)),
  ];
  return {
    ...before,
    description: textAfter(before.description, description),
    terms: textAfter(before.terms, terms),
    questions: questions === false ? [] : given.length > 0 ? given : before.questions,
  };
}

/** The command line asks for free text. V2 also sets choices and long answers. */
function questionOf(label: string, isRequired: boolean): SignupQuestion {
  return { label, is_long: false, is_required: isRequired, choices: [] };
}

function textAfter(before: string | null, given: string | boolean | undefined): string | null {
  if (given === false) return null;
  // The library sets an option with `--no-…` to true if it is missing.
  return typeof given === "string" ? given : before;
}
