import { z } from "zod";
import type { Campaign } from "../../domain/campaign/campaign.ts";
import { flag, longText, word } from "../../input/fields.ts";

const MAX_QUESTIONS = 20;
const MAX_CHOICES = 50;
const LABEL_LENGTH = 200;

/** A question on a campaign's sign-up page. */
export const questionAnswer = z
  .object({
    label: z.string(),
    is_long: z.boolean(),
    is_required: z.boolean(),
    choices: z.array(z.string()),
  })
  .meta({ id: "SignupQuestion" });

/** The settings of a campaign's sign-up page. */
export const signupAnswer = z
  .object({
    description: z.string().nullable(),
    terms: z.string().nullable(),
    questions: z.array(questionAnswer),
  })
  .meta({ id: "CampaignSignup" });

const label = word(LABEL_LENGTH).min(1, "can't be blank");
const question = z.object(
  {
    label,
    is_long: flag.nullish(),
    is_required: flag.nullish(),
    choices: z
      .array(label, "is invalid")
      .max(MAX_CHOICES, `is too long (maximum is ${MAX_CHOICES} entries)`)
      .nullish(),
  },
  "is invalid",
);

/** Choice: the settings are replaced as a whole, because answers name their questions by the words. */
export const signupParams = z
  .object(
    {
      description: longText.nullish(),
      terms: longText.nullish(),
      questions: z
        .array(question, "is invalid")
        .max(MAX_QUESTIONS, `is too long (maximum is ${MAX_QUESTIONS} entries)`)
        .refine((all) => new Set(all.map((each) => each.label)).size === all.length, "ask the same twice")
        .nullish(),
    },
    "is invalid",
  )
  .meta({ id: "CampaignSignupInput" });

/** The settings in the domain's words. */
export function signupOf(given: z.output<typeof signupParams>): NonNullable<Campaign["signup"]> {
  return {
    description: given.description ?? null,
    terms: given.terms ?? null,
    questions: (given.questions ?? []).map((each) => ({
      label: each.label,
      isLong: each.is_long ?? false,
      isRequired: each.is_required ?? false,
      choices: each.choices ?? [],
    })),
  };
}

/** The settings of a campaign's sign-up page as V2 shows them. */
export function signupJson(campaign: Campaign): z.output<typeof signupAnswer> {
  return {
    description: campaign.signup?.description ?? null,
    terms: campaign.signup?.terms ?? null,
    questions: questionsJson(campaign),
  };
}

/** The questions of a campaign. */
export function questionsJson({ signup }: Campaign): z.output<typeof questionAnswer>[] {
  return (signup?.questions ?? []).map((each) => ({
    label: each.label,
    is_long: each.isLong,
    is_required: each.isRequired,
    choices: each.choices,
  }));
}
