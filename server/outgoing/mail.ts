import { chosenSender, senderText, type WantedSender } from "./mail-sender.ts";
import type { Mailer, MailSettings } from "./mailer.ts";

/** How the server sends e-mails. */
export interface OutgoingMail {
  /** The mail server's address, without user and password: `smtps://mail.acme.example:465`. */
  server: string;
  /** The From and the Reply-To of an account's e-mails. */
  senderOf(wanted: WantedSender): { from: string; replyTo: string | null };
  mailer: Mailer;
}

/** Prepares the sending of e-mails. Most servers send none, so the library is loaded with the first one. */
export function openMail(settings: MailSettings): OutgoingMail {
  const { protocol, host } = new URL(settings.smtpUrl);
  let mailer: Promise<Mailer> | null = null;
  const open = () => (mailer ??= import("./mailer.ts").then(({ newMailer }) => newMailer(settings)));
  return {
    server: `${protocol}//${host}`,
    senderOf(wanted) {
      const { from, replyTo } = chosenSender(settings, wanted);
      return { from: senderText(from), replyTo };
    },
    mailer: {
      send: async (mail) => (await open()).send(mail),
      close: () => void mailer?.then((opened) => opened.close()),
    },
  };
}
