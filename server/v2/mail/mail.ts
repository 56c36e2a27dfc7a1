import { z } from "zod";
import { promoterSender } from "../../domain/program/account/brand.ts";
import { countDeliveries } from "../../domain/events/webhook/backlog.ts";
import { Failure } from "../../failure.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { field } from "../../http/fields.ts";

export const showMailOperation: V2Operation = {
  id: "showMail",
  summary: "Show whether the server sends e-mails, and how many wait",
  description:
    "Shows whether the server can send e-mails, the mail server and sender, and how many e-mails wait or have failed.",
  answer: z
    .object({
      is_set_up: field(z.boolean(), "Whether the server can send e-mails."),
      server: field(
        z.string().nullable(),
        "The mail server, without user and password, or null if mail is not set up.",
        "smtps://mail.acme.example:465",
      ),
      sender: field(
        z.string().nullable(),
        "The sender of the account's e-mails to promoters, or null if mail is not set up and the account has no sender of its own.",
        "Acme <team@acme.example>",
      ),
      emails: field(
        z.object({
          pending: field(z.int(), "E-mails that will be sent next.", 2),
          retrying: field(z.int(), "E-mails that failed and will be retried.", 0),
          held: field(z.int(), "E-mails that wait until mail is set up.", 0),
          delivered: field(z.int(), "E-mails that the mail server accepted.", 314),
          failed: field(z.int(), "E-mails that the server stopped retrying.", 1),
        }),
        "How many e-mails of the account have each status. Finished ones are kept for 30 days.",
      ),
    })
    .meta({ id: "Mail" }),
  handle: show,
};

async function show({ account, context, mail }: V2Request) {
  const emails = { account_id: account.id, webhook_id: null };
  const { pending, retrying, held, delivered, failed } = await countDeliveries(context.store, emails);
  return {
    is_set_up: mail !== null,
    server: mail?.server ?? null,
    sender: mail === null ? account.mail_sender : mail.senderOf(promoterSender(account)).from,
    emails: { pending, retrying, held, delivered, failed },
  };
}

export const mailTestAnswer = z
  .object({
    sent: field(z.boolean(), "Whether the mail server accepted the e-mail."),
    to: field(z.string(), "Your own address.", "alex@acme.example"),
    response_code: field(
      z.int().nullable(),
      "The mail server's error code, or null if it accepted the e-mail or did not answer.",
      550,
    ),
    error: field(
      z.string().nullable(),
      "Why the e-mail was not sent, or null if it was.",
      "Can't send mail - all recipients were rejected: 550 No such user",
    ),
  })
  .meta({ id: "MailTest" });

/**
 * `POST /api/v2/company/mail/test`. It sends immediately, without the queue, so that the answer is about this e-mail.
 *
 * @see docs/spec/v2.md "Operations beyond these"
 */
export const testMailOperation: V2Operation = {
  id: "testMail",
  summary: "Send a test e-mail to yourself",
  description:
    "Sends an e-mail to your own address immediately and shows the mail server's answer. The status is 200 even if the server refused. Only for signed-in users.",
  answer: mailTestAnswer,
  refusals: ["refused"],
  handle: (request) =>
    sendToSelf(request, { subject: "A test e-mail from Tidemark", text: TEXT, html: `<p>${TEXT}</p>` }),
};

/** Sends an e-mail to the caller immediately. @throws Failure `refused`, `rate_limited` */
export async function sendToSelf(
  { account, caller, context, mail, limitEmail }: V2Request,
  { subject, text, html }: { subject: string; text: string; html: string },
): Promise<z.output<typeof mailTestAnswer>> {
  if (caller.kind === "key") throw new Failure("refused", FOR_PEOPLE);
  if (mail === null)
    throw new Failure("refused", "Mail is not set up: set SMTP_URL and start the server again");
  const { email: to } = caller.user;
  await limitEmail(to);
  const { status, error } = await mail.mailer.send({
    to,
    sender: promoterSender(account),
    subject,
    text,
    html,
    unsubscribeUrl: null,
    messageId: context.chance.uuid(),
  });
  return { sent: error === null, to, response_code: status, error };
}

const FOR_PEOPLE = "The test goes to the signed-in user, and an API key has no address";
const TEXT = "Tidemark can send e-mails. This test was requested on the page Mail of the settings.";
