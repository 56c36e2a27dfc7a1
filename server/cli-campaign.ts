import { Option, type Command } from "commander";
import type { NewCampaign } from "./domain/campaign.ts";
import {
  AD_TRAFFIC_POLICIES,
  ATTRIBUTIONS,
  LETTER_KINDS,
  type AdTrafficPolicy,
  type Attribution,
  type LetterKind,
} from "./records.ts";

interface CampaignOptions {
  landingUrl: string;
  param: string[];
  cookieDays: number;
  autoApprove: boolean;
  attribution: Attribution;
  allowOrigin: string[];
  adTraffic: AdTrafficPolicy;
}

const MAX_COOKIE_DAYS = 3_650;

/** Adds the settings of a campaign to a command. */
export function campaignOptions(command: Command): Command {
  return command
    .requiredOption("--landing-url <url>", "where its links lead", webAddress)
    .option(
      "--param <name...>",
      "names of the URL parameter with the ref id; the first is used in links",
      listOf("--param"),
      [],
    )
    .option("--cookie-days <days>", "lifetime of the visitor cookie", cookieDays, 60)
    .option("--no-auto-approve", "let new promoters wait for approval")
    .addOption(
      new Option("--attribution <which>", "whose a visitor of two links is")
        .choices(ATTRIBUTIONS)
        .default("last"),
    )
    .option(
      "--allow-origin <origin...>",
      "sites that may send sign-ups from a browser",
      listOf("--allow-origin"),
      [],
    )
    .addOption(
      new Option("--ad-traffic <policy>", "what becomes of visits from ads")
        .choices(AD_TRAFFIC_POLICIES)
        .default("pending"),
    )
    .addOption(
      new Option("--letters <kind...>", "e-mails that its promoters get").choices(LETTER_KINDS).default([]),
    )
    .option("--default", "make it the account's default campaign");
}

/** Reads `--landing-url`. @throws Error for what is no http(s) address */
export function webAddress(value: string): string {
  if (/^https?:\/\//i.test(value) && URL.canParse(value)) return value;
  throw new Error(`--landing-url ${value} is not an http(s) address`);
}

/** The campaign that parsed options describe. */
export function newCampaign(name: string, options: Record<string, unknown>): NewCampaign {
  const given = options as unknown as CampaignOptions;
  return {
    name,
    landingUrl: given.landingUrl,
    refParams: given.param,
    visitorCookieDays: given.cookieDays,
    autoApprovePromoters: given.autoApprove,
    attribution: given.attribution,
    allowedOrigins: given.allowOrigin,
    trackAdTraffic: given.adTraffic,
  };
}

/** Reads a campaign's id. @throws Error for what is none */
export function campaignIdOf(value: string): number {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new Error(`${value} is no campaign id`);
}

/** Reads kinds of letters. @throws Error for what is none */
export function letterKinds(values: string[]): LetterKind[] {
  const kinds: readonly string[] = LETTER_KINDS;
  const unknown = values.find((value) => !kinds.includes(value));
  if (unknown === undefined) return [...new Set(values as LetterKind[])];
  throw new Error(`${unknown} is no letter; there are ${LETTER_KINDS.join(", ")}`);
}

function cookieDays(value: string): number {
  const days = Number(value);
  if (Number.isInteger(days) && days >= 1 && days <= MAX_COOKIE_DAYS) return days;
  throw new Error(`--cookie-days must be a whole number from 1 to ${MAX_COOKIE_DAYS}`);
}

/** A blank entry, as of an unset shell variable, would make a list that fits nothing. */
function listOf(option: string) {
  return (value: string, before: string[]): string[] => {
    if (value.trim() === "") throw new Error(`${option} must not be blank`);
    return [...before, value.trim()];
  };
}
