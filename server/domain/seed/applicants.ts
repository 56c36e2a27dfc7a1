import type { PromoterCampaign } from "../promoter-campaign/promoter-campaign.ts";
import type { SeedPlan } from "./plan.ts";

/** The questions of the campaign for creators. */
export const CREATORS_SIGNUP = {
  description: "For people with an audience: we pay a share of each sale for a year.",
  terms: "Say that you earn from the link. Don't bid on our name in ads.",
  questions: [
    {
      label: "Where is your audience?",
      isLong: false,
      isRequired: true,
      choices: ["YouTube", "Blog", "Podcast"],
    },
    { label: "How would you present us?", isLong: true, isRequired: false, choices: [] },
  ],
};

/** How people would present the company. */
const PITCHES = [
  "A video about how we moved our whole team, with a link below it.",
  "In the newsletter that goes out each Sunday, beside two other tools.",
  "As a guest in each episode, and in the notes of the show.",
];

/** Somebody's answers to the questions of their campaign. null: it asks none. */
export function answersOf({ campaigns }: SeedPlan, { campaignId, promoterId }: PromoterCampaign) {
  const questions = campaigns.find(({ id }) => id === campaignId)?.signup?.questions ?? [];
  if (questions.length === 0) return null;
  const answers = questions.map(({ label, choices }) => {
    const possible = choices.length > 0 ? choices : PITCHES;
    return [label, possible[promoterId % possible.length]];
  });
  return Object.fromEntries(answers) as Record<string, string>;
}
