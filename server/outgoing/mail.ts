import { createTransport } from "nodemailer";

/** How the server sends e-mails. */
export interface OutgoingMail {
  /** The mail server's address, without user and password: `smtps://mail.acme.example:465`. */
  server: string;
  /** The From and the Reply-To of an account's e-mails. */
  senderOf(wanted: WantedSender): { from: string; reply_to: string | null };
  mailer: Mailer;
}

/** Prepares the sending of e-mails. Most servers send none, so the library is loaded with the first one. */
export function openMail(settings: MailSettings): OutgoingMail {
  const { protocol, host } = new URL(settings.smtpUrl);
  let mailer: Promise<Mailer> | null = null;
  const open = () => (mailer ??= import("./mail.ts").then(({ newMailer }) => newMailer(settings)));
  return {
    server: `${protocol}//${host}`,
    senderOf(wanted) {
      const { from, reply_to } = chosenSender(settings, wanted);
      return { from: senderText(from), reply_to };
    },
    mailer: {
      send: async (mail) => (await open()).send(mail),
      close: () => void mailer?.then((opened) => opened.close()),
    },
  };
}

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
interface MailSettings extends SenderSettings {
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
      const { from, reply_to } = chosenSender(settings, mail.sender);
      try {
        await transport.sendMail({
          from,
          ...(reply_to !== null && { replyTo: { name: "", address: reply_to } }),
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

/** The sender of an account's e-mails, as it wishes. Null fields are the server's. */
export interface WantedSender {
  /** `partners@acme.example`, or `Acme <partners@acme.example>`. */
  address: string | null;
  /** Instead of the name in `address`. */
  name: string | null;
  reply_to: string | null;
}

/** The operator's settings for senders. */
interface SenderSettings {
  /** The sender of all that have no other. */
  from: string;
  /** Further domains that accounts may send from. Absent: none. */
  domains?: string[];
}

/** A sender with the parts of its header. An empty name is left out. */
interface Sender {
  name: string;
  address: string;
}

/**
 * The sender of an e-mail. The mail server signs for certain domains only, and mail from others is taken for forged. So
 * an address of a domain that the operator does not allow gets the replies instead.
 *
 * @see MAIL_FROM_DOMAINS in docs/operators.md
 */
function chosenSender(
  { from, domains = [] }: SenderSettings,
  { address, name, reply_to }: WantedSender,
): { from: Sender; reply_to: string | null } {
  const usual = parseSender(from);
  const own = address === null ? null : parseSender(address);
  const allowed = [domainOf(usual.address), ...domains];
  const isAllowed = own !== null && allowed.includes(domainOf(own.address));
  return {
    from: {
      name: name ?? (own?.name || usual.name),
      address: isAllowed ? own.address : usual.address,
    },
    reply_to: reply_to ?? (own === null || isAllowed ? null : own.address),
  };
}

/** A sender as people write it. */
function senderText({ name, address }: Sender): string {
  return name === "" ? address : `${name} <${address}>`;
}

/** The domain of an e-mail address, in lower case. */
function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1).toLowerCase();
}

function parseSender(text: string): Sender {
  const [address = text] = /[^\s<>]+@[^\s<>]+/.exec(text) ?? [];
  const name = text.slice(0, text.indexOf(address)).replace(/<$/, "").trim();
  return { name: name.replace(/^"(.*)"$/, "$1"), address };
}
