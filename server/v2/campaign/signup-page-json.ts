import { z } from "zod";
import type { Campaign } from "../../domain/program/campaign/campaign.ts";
import { flag, longText, oneOf, word } from "../../input/fields.ts";
import { LANGUAGES } from "../../languages/languages.ts";
import { field } from "../../http/fields.ts";

const MAX_QUESTIONS = 20;
const MAX_CHOICES = 50;
const LABEL_LENGTH = 200;

/** A question on a campaign's sign-up page. */
export const questionAnswer = z
  .object({
    label: field(z.string(), "The question, which also names its answer.", "Where do you publish?"),
    is_long: field(z.boolean(), "Whether the answer may be several lines."),
    is_required: field(z.boolean(), "Whether the question must be answered."),
    choices: field(z.array(z.string()), "The answers to choose from. Empty if any text may be given.", [
      "Blog",
      "Video",
    ]),
  })
  .meta({ id: "SignupQuestion" });

/** What a sign-up page says in a language. */
const translationAnswer = z
  .object({
    language: field(z.enum(LANGUAGES), "ISO 639 code of the language.", "de"),
    description: field(
      z.string().nullable(),
      "What the sign-up page says. Null: the same as in the campaign.",
      "Verdienen Sie 20 % jedes Verkaufs.",
    ),
    terms: field(
      z.string().nullable(),
      "The terms that people accept when they join. Null: the same as in the campaign.",
      "Werben Sie nicht mit unserem Namen.",
    ),
  })
  .meta({ id: "SignupTranslation" });

/** The settings of a campaign's sign-up page. */
export const signupAnswer = z
  .object({
    description: field(
      z.string().nullable(),
      "What the sign-up page says about the campaign.",
      "Earn 20% of each sale.",
    ),
    terms: field(
      z.string().nullable(),
      "The terms that people accept when they join, or null if there are none.",
      "Do not bid on our name in ads.",
    ),
    questions: field(z.array(questionAnswer), "The questions that people answer when they join."),
    translations: field(
      z.array(translationAnswer),
      "The texts in other languages, for promoters who read those. An extension of Tidemark.",
    ),
  })
  .meta({ id: "CampaignSignup" });

/** The campaign's terms in sentences. */
export const offer = field(
  z.array(z.string()),
  "What the campaign pays, when it pays, and how long a click counts, in one sentence each. Hidden rewards are left out.",
  ["You earn 20% of each sale, for as long as the customer buys."],
);

const label = word(LABEL_LENGTH).min(1, "can't be blank");
const question = z.object(
  {
    label: field(label, questionAnswer.shape.label),
    is_long: field(flag.nullish(), questionAnswer.shape.is_long),
    is_required: field(flag.nullish(), "Whether the question must be answered."),
    choices: field(
      z
        .array(label, "is invalid")
        .max(MAX_CHOICES, `is too long (maximum is ${MAX_CHOICES} entries)`)
        .nullish(),
      questionAnswer.shape.choices,
    ),
  },
  "is invalid",
);

const translation = z.object(
  {
    language: field(oneOf(LANGUAGES), translationAnswer.shape.language),
    description: field(longText.nullish(), translationAnswer.shape.description),
    terms: field(longText.nullish(), translationAnswer.shape.terms),
  },
  "is invalid",
);

/** The settings are replaced as a whole, because answers refer to questions by their text. */
export const signupParams = z
  .object(
    {
      description: field(longText.nullish(), "What the sign-up page says.", "Earn 20% of each sale."),
      terms: field(longText.nullish(), signupAnswer.shape.terms),
      questions: field(
        z
          .array(question, "is invalid")
          .max(MAX_QUESTIONS, `is too long (maximum is ${MAX_QUESTIONS} entries)`)
          .refine((all) => new Set(all.map((each) => each.label)).size === all.length, "ask the same twice")
          .nullish(),
        "The questions that people answer when they join.",
      ),
      translations: field(
        z
          .array(translation, "is invalid")
          .refine(
            (all) => new Set(all.map(({ language }) => language)).size === all.length,
            "have a language twice",
          )
          .nullish(),
        signupAnswer.shape.translations,
      ),
    },
    "is invalid",
  )
  .meta({ id: "CampaignSignupInput" });

/** The settings by the domain's names. */
export function signupOf(given: z.output<typeof signupParams>): NonNullable<Campaign["signup"]> {
  return {
    description: given.description ?? null,
    terms: given.terms ?? null,
    questions: (given.questions ?? []).map((each) => ({
      label: each.label,
      is_long: each.is_long ?? false,
      is_required: each.is_required ?? false,
      choices: each.choices ?? [],
    })),
    ...(given.translations && {
      translations: given.translations.map(({ language, description, terms }) => ({
        language,
        description: description ?? null,
        terms: terms ?? null,
      })),
    }),
  };
}

/** The settings of a campaign's sign-up page as V2 shows them. */
export function signupJson(campaign: Campaign): z.output<typeof signupAnswer> {
  return {
    description: campaign.signup?.description ?? null,
    terms: campaign.signup?.terms ?? null,
    questions: questionsJson(campaign),
    translations: (campaign.signup?.translations ?? []).map(({ language, description, terms }) => ({
      language,
      description,
      terms,
    })),
  };
}

/** The questions of a campaign. */
export function questionsJson({ signup }: Campaign): z.output<typeof questionAnswer>[] {
  return (signup?.questions ?? []).map((each) => ({
    label: each.label,
    is_long: each.is_long,
    is_required: each.is_required,
    choices: each.choices,
  }));
}
