import { createTransport } from "nodemailer";

const TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 4;

/** A letter in words, and whom it goes to. */
export interface Mail {
  to: string;
  /** null: the server's usual sender. */
  from: string | null;
  subject: string;
  text: string;
  html: string;
  /** Where its reader can ask for no more. null: nowhere. */
  unsubscribeUrl: string | null;
  /** What stands before the `@` of its Message-ID. */
  messageId: string;
}

/** What became of a letter. */
export interface MailReceipt {
  /** The code of the mail server's refusal. null: it has taken it, or said nothing. @see RFC 5321, 4.2 */
  status: number | null;
  /** null: the mail server has taken it. */
  error: string | null;
  /** Whether the mail server will never take it, as for an address that does not exist. */
  isFinal: boolean;
}

/** Sends letters; gives a receipt whatever happens. */
export interface Mailer {
  send(mail: Mail): Promise<MailReceipt>;
  close(): void;
}

/** Which mail server, who sends by it, and how long it may be silent. */
export interface MailSettings {
  smtpUrl: string;
  from: string;
  timeoutMs?: number;
}

/** Makes a mailer that speaks SMTP, as `smtp://user:password@host:587` or `smtps://` says. */
export function newMailer({ smtpUrl, from, timeoutMs = TIMEOUT_MS }: MailSettings): Mailer {
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // Templates and values are text, never files or addresses to be fetched.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(mail) {
      const sender = mail.from ?? from;
      const host = /@([\w.-]+)/.exec(sender)?.[1] ?? "localhost";
      try {
        await transport.sendMail({
          from: sender,
          // An object, as text could name more than one.
          to: { name: "", address: mail.to },
          subject: mail.subject,
          text: mail.text,
          html: mail.html,
          messageId: `<${mail.messageId}@${host}>`,
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

/** A refusal of the recipient or of the letter is for good; one of the sender is the operator's to set right. */
function isForGood({ responseCode = 0, command }: SmtpFault): boolean {
  return responseCode >= 500 && (command === "RCPT TO" || command === "DATA");
}

/** @see RFC 2369, RFC 8058 */
function unsubscribeHeaders({ unsubscribeUrl }: Mail): Record<string, string> {
  if (unsubscribeUrl === null) return {};
  return { "list-unsubscribe": `<${unsubscribeUrl}>`, "list-unsubscribe-post": "List-Unsubscribe=One-Click" };
}
