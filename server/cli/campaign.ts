import { Option, type Command } from "commander";
import { campaignIdOf } from "./campaign-id.ts";
import { signupCommand } from "./campaign-signup.ts";
import { print, withStore } from "./store.ts";
import { wholeNumber } from "./whole-number.ts";
import { loadAccount } from "../domain/account/account.ts";
import { createFullCampaign, updateCampaign, type CampaignChanges } from "../domain/campaign/changes.ts";
import {
  AD_TRAFFIC_POLICIES,
  ATTRIBUTIONS,
  listCampaigns,
  MAX_HOLD_DAYS,
  type AdTrafficPolicy,
  type Attribution,
} from "../domain/campaign/campaign.ts";
import { asItIs } from "../domain/show.ts";
import { EMAIL_KINDS, type EmailKind } from "../domain/email/email.ts";
import { parseUrl } from "../url.ts";

/** undefined: the option was left out. false: `--no-…`, which empties a list. */
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
        const rows = await listCampaigns(store, owner.id);
        print(rows.map((row) => ({ ...row, isDefault: row.id === owner.defaultCampaignId })));
      }),
    );
}

/** Reads `--landing-url`. @throws Error if it is not an http(s) address */
export function webAddress(value: string): string {
  if (/^https?:\/\//i.test(value) && parseUrl(value) !== null) return value;
  throw new Error(`--landing-url ${value} is not an http(s) address`);
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
    .option("--auto-approve", "accept new promoters at once (usual)")
    .option("--no-auto-approve", "keep new promoters pending until they are approved")
    .option("--auto-approve-commissions", "approve commissions at once (usual)")
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
    .option("--no-allow-origin", "only the landing page's own site (usual)")
    .addOption(
      new Option("--ad-traffic <policy>", "how to treat visits from ads (usually pending)").choices(
        AD_TRAFFIC_POLICIES,
      ),
    )
    .addOption(new Option("--emails <kind...>", "e-mails that its promoters get").choices(EMAIL_KINDS))
    .option("--no-emails", "no e-mails (usual)")
    .option("--default", "make it the account's default campaign");
}

function create(
  accountId: string,
  name: string,
  options: CampaignOptions & { landingUrl: string },
): Promise<void> {
  return withStore(async (context) => {
    const { id } = await loadAccount(context.store, accountId);
    const { landingUrl } = options;
    const input = { ...changesOf(options), name, landingUrl, show: asItIs };
    print(await createFullCampaign(context, id, input));
  });
}

function update(accountId: string, campaignId: string, options: CampaignOptions): Promise<void> {
  return withStore(async (context) => {
    const { id: ownerId } = await loadAccount(context.store, accountId);
    const changes = changesOf(options);
    print(await updateCampaign(context, ownerId, { id: campaignIdOf(campaignId), changes, show: asItIs }));
  });
}

function changesOf(options: CampaignOptions): CampaignChanges {
  return {
    name: options.name,
    landingUrl: options.landingUrl,
    refParams: listed(options.param),
    visitorCookieDays: options.cookieDays,
    autoApprovePromoters: options.autoApprove,
    autoApproveCommissions: options.autoApproveCommissions,
    commissionHoldDays: options.holdDays,
    attribution: options.attribution,
    allowedOrigins: listed(options.allowOrigin),
    trackAdTraffic: options.adTraffic,
    emails: listed(options.emails),
    isDefault: options.default,
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
