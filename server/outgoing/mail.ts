import type { Mailer, MailSettings } from "./mailer.ts";

/** How the server sends e-mails. */
export interface OutgoingMail {
  /** The mail server's address, without user and password: `smtps://mail.acme.example:465`. */
  server: string;
  /** The sender, unless the account has its own. */
  sender: string;
  mailer: Mailer;
}

/** Prepares the sending of e-mails. Most servers send none, so the library is loaded with the first one. */
export function openMail(settings: MailSettings): OutgoingMail {
  const { protocol, host } = new URL(settings.smtpUrl);
  let mailer: Promise<Mailer> | null = null;
  const open = () => (mailer ??= import("./mailer.ts").then(({ newMailer }) => newMailer(settings)));
  return {
    server: `${protocol}//${host}`,
    sender: settings.from,
    mailer: {
      send: async (mail) => (await open()).send(mail),
      close: () => void mailer?.then((opened) => opened.close()),
    },
  };
}
