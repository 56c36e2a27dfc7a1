import { afterEach, beforeEach } from "vitest";
import { newMailer, type Mailer } from "../../server/outgoing/mail.ts";
import { SENDER, type TestApp } from "./app.ts";
import { startMailServer, type MailServer, type ReceivedEmail } from "./mail-server.ts";
import { appOutbox, workOff } from "./outbox.ts";

/** The mail of a test app. */
export interface Mail {
  server: MailServer;
  /** What the server has received. */
  emails: ReceivedEmail[];
  /** Sends all that waits, by an outbox with these other parts. */
  send(over?: Parameters<typeof appOutbox>[1]): Promise<number>;
  subjects(): (string | undefined)[];
}

/** Gives each test of the calling block a mail server, which its app's outbox sends to. */
export function useMail(appOfTest: () => TestApp): Mail {
  let server: MailServer;
  let mailer: Mailer;
  beforeEach(async () => {
    server = await startMailServer();
    mailer = newMailer({ smtpUrl: server.url, from: SENDER });
  });
  afterEach(async () => {
    mailer.close();
    await server.close();
  });
  return {
    get server() {
      return server;
    },
    get emails() {
      return server.emails;
    },
    async send(over) {
      await appOfTest().services.afterwards.settle();
      return workOff(appOutbox(appOfTest(), { mailer, ...over }));
    },
    subjects: () => server.emails.map(({ headers }) => headers["subject"]),
  };
}
