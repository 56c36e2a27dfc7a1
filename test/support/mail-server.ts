import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

/** An e-mail as the mail server received it. */
export interface ReceivedEmail {
  from: string;
  to: string[];
  /** By lower-case name, unfolded. */
  headers: Record<string, string>;
  text: string;
  html: string;
}

/** A mail server on loopback. */
export interface MailServer {
  url: string;
  emails: ReceivedEmail[];
  /** Refuses recipients, senders or e-mails with this status from now on. null: accepts them again. */
  refuse(status: number | null, what?: "recipient" | "sender" | "email"): void;
  /** Resolves when this many e-mails have arrived. */
  has(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts a mail server. */
export async function startMailServer(): Promise<MailServer> {
  const emails: ReceivedEmail[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  let refusal: number | null = null;
  let refused = "recipient";
  const judge = (what: string, done: (error?: Error | null) => void) => {
    if (refusal === null || what !== refused) return done();
    done(Object.assign(new Error(`No such ${what}`), { responseCode: refusal }));
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onMailFrom: (_address, _session, done) => judge("sender", done),
    onRcptTo: (_address, _session, done) => judge("recipient", done),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        if (refused === "email" && refusal !== null) return judge("email", done);
        const { mailFrom, rcptTo } = session.envelope;
        emails.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          ...parse(Buffer.concat(chunks).toString()),
        });
        for (const each of waiting) if (emails.length >= each.count) each.resolve();
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    emails,
    refuse: (status, what = "recipient") => {
      refusal = status;
      refused = what;
    },
    has: (count) =>
      new Promise((resolve) => {
        if (emails.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function parse(raw: string): Pick<ReceivedEmail, "headers" | "text" | "html"> {
  const { headers, body } = part(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers["content-type"] ?? "")?.[1] ?? "none";
  const parts = body.split(`--${boundary}`).map((each) => part(each.trim()));
  const of = (type: string) => parts.find((each) => each.headers["content-type"]?.startsWith(type));
  return { headers, text: decode(of("text/plain")), html: decode(of("text/html")) };
}

function part(raw: string): { headers: Record<string, string>; body: string } {
  const end = raw.indexOf("\r\n\r\n");
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      decodeWords(line.slice(line.indexOf(":") + 1).trim()),
    ]),
  );
  return { headers, body: raw.slice(end + 4) };
}

/** @see RFC 2047 */
function decodeWords(value: string): string {
  return value.replace(/=\?UTF-8\?([QB])\?([^?]*)\?=(?: (?==\?))?/gi, (_, coding: string, word: string) =>
    coding.toUpperCase() === "B"
      ? Buffer.from(word, "base64").toString()
      : decodeURIComponent(word.replaceAll("_", " ").replaceAll("%", "%25").replaceAll("=", "%")),
  );
}

function decode(given: ReturnType<typeof part> | undefined): string {
  if (given === undefined) return "";
  const coding = given.headers["content-transfer-encoding"];
  if (coding === "base64") return Buffer.from(given.body, "base64").toString();
  if (coding !== "quoted-printable") return given.body;
  const bytes = given.body
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
}
