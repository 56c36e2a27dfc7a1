import type { Command } from "commander";
import { loadAccount } from "../domain/account/account.ts";
import { loadCampaign, type CampaignSignup, type SignupQuestion } from "../domain/campaign/campaign.ts";
import { updateCampaign } from "../domain/campaign/changes.ts";
import { asItIs } from "../domain/show.ts";
import { campaignIdOf } from "./campaign-id.ts";
import { print, withStore } from "./store.ts";

/** undefined: the option was left out. false: `--no-…`, which removes it. */
interface SignupOptions {
  description?: string | false;
  terms?: string | false;
  question?: string[];
  requiredQuestion?: string[];
  questions?: boolean;
}

/** Adds the command that sets what a campaign's sign-up page says and asks. */
export function signupCommand(campaign: Command): void {
  campaign
    .command("signup <account-id> <campaign-id>")
    .description("set what the sign-up page says and asks; options left out stay unchanged")
    .option("--description <text>", "what it says about the campaign")
    .option("--no-description", "say nothing")
    .option("--terms <text>", "the terms that people must accept")
    .option("--no-terms", "ask nobody to accept terms")
    .option("--question <text...>", "questions that may stay unanswered")
    .option("--required-question <text...>", "questions that must be answered")
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
    print(await updateCampaign(context, ownerId, { id, changes, show: asItIs }));
  });
}

function signupAfter(before: CampaignSignup, options: SignupOptions): CampaignSignup {
  const { description, terms, question = [], requiredQuestion = [], questions } = options;
  const given = [
    ...requiredQuestion.map((label) => questionOf(label, true)),
    ...question.map((label) => questionOf(label, false)),
  ];
  return {
    description: textAfter(before.description, description),
    terms: textAfter(before.terms, terms),
    questions: questions === false ? [] : given.length > 0 ? given : before.questions,
  };
}

/** The command line asks for free text. V2 also sets choices and long answers. */
function questionOf(label: string, isRequired: boolean): SignupQuestion {
  return { label, isLong: false, isRequired, choices: [] };
}

function textAfter(before: string | null, given: string | boolean | undefined): string | null {
  if (given === false) return null;
  // The library sets an option with `--no-…` to true if it is left out.
  return typeof given === "string" ? given : before;
}
