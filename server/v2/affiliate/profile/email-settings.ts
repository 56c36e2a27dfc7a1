import { z } from "zod";
import { loadEmailSettings, updateEmailSettings } from "../../../domain/portal/profile.ts";
import { EMAIL_TOPICS } from "../../../domain/promoter/record.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { flag } from "../../../input/fields.ts";
import { shapeInput } from "../../../input/shape.ts";
import type { AffiliateOperation } from "../operation.ts";

const fields = <S extends z.ZodType>(field: S) =>
  Object.fromEntries(EMAIL_TOPICS.map((topic) => [topic, field])) as Record<(typeof EMAIL_TOPICS)[number], S>;

const answer = z.object(fields(z.boolean())).meta({ id: "EmailSettings" });
const updateBody = z.object(fields(flag)).partial();

/** `GET /api/v2/affiliate/email_settings` */
export const showEmailSettingsOperation: AffiliateOperation = {
  summary: "Show which e-mails the promoter wants",
  answer,
  handle: ({ context, promoter }) => loadEmailSettings(context.store, promoter),
};

/** `PUT /api/v2/affiliate/email_settings` */
export const updateEmailSettingsOperation: AffiliateOperation = {
  summary: "Choose the e-mails that the promoter wants",
  body: updateBody,
  answer,
  async handle({ event, context, promoter }) {
    return updateEmailSettings(context, promoter, shapeInput(updateBody, await readJson(event)));
  },
};
