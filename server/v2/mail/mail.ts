import { z } from "zod";
import { countDeliveries } from "../../domain/webhook/backlog.ts";
import { Failure } from "../../failure.ts";
import type { V2Operation, V2Request } from "../operation.ts";

/** `GET /api/v2/company/mail` */
export const showMailOperation: V2Operation = {
  summary: "Show whether the server sends e-mails, and how many wait",
  answer: z
    .object({
      is_set_up: z.boolean(),
      server: z.string().nullable(),
      sender: z.string().nullable(),
      emails: z.object({
        pending: z.int(),
        retrying: z.int(),
        held: z.int(),
        delivered: z.int(),
        failed: z.int(),
      }),
    })
    .meta({ id: "Mail" }),
  handle: show,
};

async function show({ account, context, mail }: V2Request) {
  const emails = { accountId: account.id, webhookId: null };
  const { pending, retrying, held, delivered, failed } = await countDeliveries(context.store, emails);
  return {
    is_set_up: mail !== null,
    server: mail?.server ?? null,
    sender: account.mailSender ?? mail?.sender ?? null,
    emails: { pending, retrying, held, delivered, failed },
  };
}

/**
 * `POST /api/v2/company/mail/test`. Choice: answers 200 with the mail server's refusal, because the test is there to
 * show it. It sends at once and past the queue, so that the answer is about this e-mail.
 */
export const testMailOperation: V2Operation = {
  summary: "Send a test e-mail to yourself",
  answer: z
    .object({
      sent: z.boolean(),
      to: z.string(),
      response_code: z.int().nullable(),
      error: z.string().nullable(),
    })
    .meta({ id: "MailTest" }),
  refusals: ["refused"],
  handle: test,
};

async function test({ account, caller, context, mail, limitEmail }: V2Request) {
  if (caller.kind === "key") throw new Failure("refused", FOR_PEOPLE);
  if (mail === null)
    throw new Failure("refused", "Mail is not set up: set SMTP_URL and start the server again");
  const { email: to } = caller.user;
  await limitEmail(to);
  const { status, error } = await mail.mailer.send({
    to,
    from: account.mailSender,
    subject: "A test e-mail from Tidemark",
    text: TEXT,
    html: `<p>${TEXT}</p>`,
    unsubscribeUrl: null,
    messageId: context.chance.uuid(),
  });
  return { sent: error === null, to, response_code: status, error };
}

const FOR_PEOPLE = "The test goes to whoever is signed in, and a program with a key has no address";
const TEXT = "Tidemark can send e-mails: somebody asked for this one on the page Mail of the settings.";
