import { createHmac } from "node:crypto";
import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isPlainlyPrivate, privateAddressError, newLookup, type Resolve } from "./lookup.ts";

/** The maximum of bytes read of an answer. The rest is dropped. */
const ANSWER_BYTES = 64 * 1024;
/** @see docs/spec/events.md */
const KEPT_LENGTH = 1_000;
const IDLE_MS = 15_000;

/** A body to post. */
interface Posting {
  url: string;
  headers: Record<string, string>;
  body: string;
  timeoutMs: number;
}

/** The result of posting. */
export interface Receipt {
  /** Null without an answer. */
  status: number | null;
  /** The first 1,000 characters of the answer. */
  body: string | null;
  /** Null after a success. */
  error: string | null;
  /** Whether posting to this address is forbidden. */
  isRefused: boolean;
}

/** Posts to a receiver. It always gives a receipt and never throws. */
export interface Post {
  (posting: Posting): Promise<Receipt>;
  /**
   * Whether a URL alone shows that it is refused. The address behind a host name is only known when
   * connecting.
   */
  refuses(url: string): boolean;
  /** Closes the connections kept for later postings. */
  close(): void;
}

/** Makes the function that posts. It connects to private addresses only if that is allowed. */
export function newPost(reach: { allowsPrivate: boolean; resolve?: Resolve }): Post {
  const { allowsPrivate } = reach;
  const options = { keepAlive: true, timeout: IDLE_MS, lookup: newLookup(reach) };
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };

  const post = async (posting: Posting): Promise<Receipt> => {
    try {
      const url = new URL(posting.url);
      // A literal address is never looked up, so it is checked here.
      if (!allowsPrivate && isPlainlyPrivate(url)) throw privateAddressError(url.hostname);
      const { status, body } = await send(url, posting, agents);
      return { status, body, error: faultOf(status), isRefused: false };
    } catch (error) {
      const { message } = error as Error;
      return { status: null, body: null, error: cut(message || "failed"), isRefused: isRefusal(error) };
    }
  };
  const close = () => {
    agents.http.destroy();
    agents.https.destroy();
  };
  const refuses = (url: string) => !allowsPrivate && isPlainlyPrivate(new URL(url));
  return Object.assign(post, { refuses, close });
}

/** The fields of a webhook that a posting needs. */
export interface WebhookTarget {
  url: string;
  timeout_seconds: number;
  headers: Record<string, string>;
  basic_auth_user: string | null;
  basic_auth_password: string | null;
  /** The secrets in use now. */
  secrets: readonly string[];
}

/**
 * The posting of an event to a webhook. The webhook's own headers come first, so that they can't replace
 * ours.
 */
export function webhookPosting(
  target: WebhookTarget,
  { event_id, type, body, now }: { event_id: string; type: string; body: string; now: Date },
): Posting {
  const { basic_auth_user, basic_auth_password } = target;
  const credentials = Buffer.from(`${basic_auth_user}:${basic_auth_password}`).toString("base64");
  return {
    url: target.url,
    headers: {
      ...target.headers,
      ...(basic_auth_user !== null && { authorization: `Basic ${credentials}` }),
      "content-type": "application/json",
      "user-agent": "Tidemark",
      "x-event-id": event_id,
      "x-event-type": type,
      ...signatureHeaders(target.secrets, { id: event_id, body, now }),
    },
    body,
    timeoutMs: target.timeout_seconds * 1_000,
  };
}

type Agents = { http: HttpAgent; https: HttpsAgent };

async function send(url: URL, posting: Posting, agents: Agents): Promise<{ status: number; body: string }> {
  const asked = url.protocol === "https:" ? httpsRequest : httpRequest;
  const request = asked(url, {
    method: "POST",
    agent: url.protocol === "https:" ? agents.https : agents.http,
    headers: { ...posting.headers, "content-length": String(Buffer.byteLength(posting.body)) },
  });
  try {
    return await exchange(request, posting);
  } catch (error) {
    // The receiver closed a kept connection just as it was used again. That is not the receiver's fault, so
    // it is retried.
    const { code } = error as NodeJS.ErrnoException;
    if (request.reusedSocket && (code === "ECONNRESET" || code === "EPIPE"))
      return send(url, posting, agents);
    throw error;
  }
}

function exchange(request: ClientRequest, posting: Posting): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    let answer: IncomingMessage | null = null;
    const chunks: Buffer[] = [];
    // Once the status has arrived it counts, however the rest of the answer ends.
    const settle = (error: Error) => {
      clearTimeout(timer);
      const body = cut(Buffer.concat(chunks).toString());
      if (answer === null) reject(error);
      else resolve({ status: answer.statusCode ?? 0, body });
    };
    const timer = setTimeout(() => {
      const error = new Error(`No answer within ${posting.timeoutMs / 1_000} s`);
      settle(error);
      request.destroy();
    }, posting.timeoutMs);
    request.on("error", settle);
    request.on("response", (response) => {
      answer = response;
      let length = 0;
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length < ANSWER_BYTES) return;
        settle(new Error("cut"));
        request.destroy();
      });
      response.on("error", settle);
      response.on("close", () => settle(new Error("closed")));
    });
    request.end(posting.body);
  });
}

/** The reason why a status does not mean "received", or null if it does. */
function faultOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `Answered ${status}; redirects are not followed`;
  return `Answered ${status}`;
}

function cut(text: string): string {
  return text.slice(0, KEPT_LENGTH);
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && "isRefusal" in error;
}

/**
 * The headers that identify the sender and the time. There is one signature for each secret.
 *
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
function signatureHeaders(
  secrets: readonly string[],
  { id, body, now }: { id: string; body: string; now: Date },
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
