import { createTransport } from "nodemailer";
import { chosenSender, domainOf, type SenderSettings, type WantedSender } from "./mail-sender.ts";

const TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 4;

/** An e-mail with its text and its recipient. */
export interface Mail {
  to: string;
  sender: WantedSender;
  subject: string;
  text: string;
  html: string;
  /** Where the reader can unsubscribe, or null. */
  unsubscribeUrl: string | null;
  /** The part of the Message-ID before the `@`. */
  messageId: string;
}

/** The result of sending an e-mail. */
export interface MailReceipt {
  /**
   * The code of the mail server's refusal. Null: it accepted the e-mail, or did not answer.
   *
   * @see RFC 5321, 4.2
   */
  status: number | null;
  /** Null if the mail server accepted it. */
  error: string | null;
  /** Whether the mail server will never accept it, for example because the address does not exist. */
  isFinal: boolean;
}

/** Sends e-mails. It always gives a receipt and never throws. */
export interface Mailer {
  send(mail: Mail): Promise<MailReceipt>;
  close(): void;
}

/** The mail server, the default sender, and how long the server may be silent. */
export interface MailSettings extends SenderSettings {
  smtpUrl: string;
  timeoutMs?: number;
}

/** Makes a mailer for SMTP. The URL looks like `smtp://user:password@host:587` or `smtps://…`. */
export function newMailer({ smtpUrl, timeoutMs = TIMEOUT_MS, ...settings }: MailSettings): Mailer {
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // Templates and values are text. They must never make the server read files or fetch addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(mail) {
      const { from, replyTo } = chosenSender(settings, mail.sender);
      try {
        await transport.sendMail({
          from,
          ...(replyTo !== null && { replyTo: { name: "", address: replyTo } }),
          // An object, because text could contain several addresses.
          to: { name: "", address: mail.to },
          subject: mail.subject,
          text: mail.text,
          html: mail.html,
          messageId: `<${mail.messageId}@${domainOf(from.address) || "localhost"}>`,
          headers: { "auto-submitted": "auto-generated", ...unsubscribeHeaders(mail) },
        });
        return { status: null, error: null, isFinal: false };
      } catch (error) {
        const { message, ...fault } = error as Error & SmtpFault;
        const status = fault.responseCode ?? null;
        return { status, error: message.slice(0, 1_000), isFinal: isForGood(fault) };
      }
    },
    close: () => transport.close(),
  };
}

interface SmtpFault {
  responseCode?: number;
  command?: string;
}

/** A refused recipient or e-mail is final. A refused sender is not, because the operator can correct it. */
function isForGood({ responseCode = 0, command }: SmtpFault): boolean {
  return responseCode >= 500 && (command === "RCPT TO" || command === "DATA");
}

/** @see RFC 2369, RFC 8058 */
function unsubscribeHeaders({ unsubscribeUrl }: Mail): Record<string, string> {
  if (unsubscribeUrl === null) return {};
  return { "list-unsubscribe": `<${unsubscribeUrl}>`, "list-unsubscribe-post": "List-Unsubscribe=One-Click" };
}
