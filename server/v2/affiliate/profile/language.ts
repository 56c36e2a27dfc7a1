import { z } from "zod";
import { setLanguage } from "../../../domain/people/portal/profile.ts";
import { field } from "../../../http/fields.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { oneOf } from "../../../input/fields.ts";
import { shapeInput } from "../../../input/shape.ts";
import { LANGUAGES } from "../../../languages/languages.ts";
import type { AffiliateOperation } from "../operation.ts";

const body = z.object({
  language: field(oneOf(LANGUAGES), "ISO 639 code of the language.", "de"),
});

/** `PUT /api/v2/affiliate/language` */
export const setLanguageOperation: AffiliateOperation = {
  id: "setPortalLanguage",
  summary: "Choose the language of the portal and of e-mails",
  description: "Chooses the language of the promoter's portal and e-mails. An extension of Tidemark.",
  example: { language: "de" },
  body,
  answer: z
    .object({ language: field(z.enum(LANGUAGES), "ISO 639 code of the language.", "de") })
    .meta({ id: "PortalLanguage" }),
  refusals: ["invalid"],
  async handle({ event, context, promoter }) {
    const { language } = shapeInput(body, await readJson(event));
    await setLanguage(context, promoter, language);
    return { language };
  },
};
