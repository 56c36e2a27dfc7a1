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

/** Makes a mailer that speaks SMTP, as `smtp://user:password@host:587` or `smtps://` says. */
export function newMailer({ smtpUrl, from }: { smtpUrl: string; from: string }): Mailer {
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
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
        return { error: null, isFinal: false };
      } catch (error) {
        const { message, code, responseCode = 0 } = error as Error & { code?: string; responseCode?: number };
        return { error: message.slice(0, 1_000), isFinal: code === "EENVELOPE" && responseCode >= 500 };
      }
    },
    close: () => transport.close(),
  };
}

/** @see RFC 2369, RFC 8058 */
function unsubscribeHeaders({ unsubscribeUrl }: Mail): Record<string, string> {
  if (unsubscribeUrl === null) return {};
  return { "list-unsubscribe": `<${unsubscribeUrl}>`, "list-unsubscribe-post": "List-Unsubscribe=One-Click" };
}
