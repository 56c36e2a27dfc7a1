import { z } from "zod";
import { loadCampaignOrDefault, signupUrl } from "../../domain/program/campaign/campaign.ts";
import { invitePromoters } from "../../domain/ledger/promoter-invitation.ts";
import { Failure } from "../../failure.ts";
import { field } from "../../http/fields.ts";
import { readJson } from "../../http/parameters/json.ts";
import { flag, id, oneOf, text } from "../../input/fields.ts";
import { distinctMailboxes, readMailbox, type Mailbox } from "../../input/mailbox.ts";
import { describe, shapeInput } from "../../input/shape.ts";
import { LANGUAGES } from "../../languages/languages.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { setupUrls } from "./promoter-json.ts";

/** Enough for a list that is pasted. Larger lists can be imported. */
const MAX_EMAILS = 100;
const MESSAGE_LENGTH = 2_000;

const inviteBody = z.object({
  emails: field(
    z
      .array(text, "is invalid")
      .min(1, "can't be blank")
      .max(MAX_EMAILS, `is too long (maximum is ${MAX_EMAILS})`),
    `E-mail addresses of the people, at most ${MAX_EMAILS}, each with or without a name, which new promoters get: \`Jane Doe <jane@example.com>\` or \`"Doe, Jane" <jane@example.com>\`.`,
    ["Jane Doe <jane@example.com>", "kim@example.com"],
  ),
  campaign_id: field(id.optional(), "Campaign that they promote. Default: the default campaign.", 1),
  message: field(
    text.max(MESSAGE_LENGTH, `is too long (maximum is ${MESSAGE_LENGTH} characters)`).optional(),
    "Your message at the beginning of the e-mail.",
    "We would love to have you with us.",
  ),
  language: field(
    oneOf(LANGUAGES).optional(),
    "The language of the promoters' e-mails and portal. Left out: the account's `promoter_language`, until they sign in.",
    "de",
  ),
  sends_email: field(
    flag.optional(),
    "Whether each new promoter gets an e-mail with their link, if mail is set up. Default: `true`.",
  ),
});

const invitedAnswer = z
  .object({
    email: field(z.string(), "The person's e-mail address.", "jane@example.com"),
    promoter_id: field(z.int(), "Id of the promoter.", 17),
    is_new: field(z.boolean(), "Whether they became a promoter now. Existing promoters stay unchanged."),
    is_mailed: field(z.boolean(), "Whether an e-mail was queued for them."),
    password_setup_url: field(
      z.string().nullable(),
      "Link to set a first password, within seven days. Null if they have one or can't sign in.",
      "https://track.example.com/portal/welcome#1.1.h.mg8k2j3v.q3kPz0",
    ),
  })
  .meta({ id: "InvitedPromoter" });

export const invitePromotersOperation: V2Operation = {
  id: "invitePromoters",
  summary: "Invite people to become promoters",
  description:
    "Adds up to 100 people as promoters, accepted even if the campaign's settings demand an approval, and sends each an e-mail with your message, what the campaign pays, their referral link and a link to the portal.",
  example: {
    emails: ["Jane Doe <jane@example.com>", "kim@example.com"],
    message: "We would love to have you with us.",
  },
  body: inviteBody,
  answer: z
    .object({
      promoters: field(z.array(invitedAnswer), "The people, in the order in which they were named."),
      signup_url: field(
        z.string(),
        "The campaign's sign-up page, for inviting others.",
        "https://track.example.com/join/1",
      ),
    })
    .meta({ id: "InvitedPromoters" }),
  status: 201,
  refusals: ["not_found", "invalid", "rate_limited"],
  handle: invite,
};

async function invite(request: V2Request) {
  const { event, account, context, mail, limitInvitation, public_url } = request;
  const body = shapeInput(inviteBody, await readJson(event));
  const people = readPeople(body.emails);
  const campaign = await loadCampaignOrDefault(context.store, account, body.campaign_id ?? null);
  const isMailed = mail !== null && (body.sends_email ?? true);
  if (isMailed) for (const { email } of people) await limitInvitation(account.id, email);
  const invited = await invitePromoters(context, account, {
    people,
    campaign_id: campaign.id,
    message: body.message ?? null,
    language: body.language ?? null,
    isMailed,
  });
  const setupUrlOf = await setupUrls(
    request,
    context.store,
    invited.map(({ promoter }) => promoter),
  );
  return {
    promoters: invited.map(({ promoter, isNew }): z.output<typeof invitedAnswer> => ({
      email: promoter.email,
      promoter_id: promoter.id,
      is_new: isNew,
      is_mailed: isNew && isMailed,
      password_setup_url: setupUrlOf(promoter),
    })),
    signup_url: signupUrl(public_url, account, campaign),
  };
}

/** Checks all addresses before the first is invited, and removes duplicates. @throws Failure `invalid` */
function readPeople(given: string[]): Mailbox[] {
  const read = given.map(readMailbox);
  const faulty = given.filter((_, at) => read[at] === null);
  if (faulty.length > 0) {
    const fields = { emails: faulty.map((each) => `${each || "a blank one"} is not an e-mail address`) };
    throw new Failure("invalid", describe(fields), fields);
  }
  return distinctMailboxes(read.filter((each) => each !== null));
}
