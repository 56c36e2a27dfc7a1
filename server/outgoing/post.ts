import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isPlainlyPrivate, privateAddressError } from "./address.ts";
import { newLookup, type Resolve } from "./lookup.ts";

/** What of an answer is read; the rest is cut off. */
const ANSWER_BYTES = 64 * 1024;
/** @see docs/spec/events.md */
const KEPT_LENGTH = 1_000;
const IDLE_MS = 15_000;

/** A body to be posted. */
export interface Posting {
  url: string;
  headers: Record<string, string>;
  body: string;
  timeoutMs: number;
}

/** What became of it. */
export interface Receipt {
  /** null: no answer came. */
  status: number | null;
  /** The first 1,000 characters of the answer. */
  body: string | null;
  /** null: it has arrived. */
  error: string | null;
  /** Whether the address may not be posted to at all. */
  isRefused: boolean;
}

/** Posts to a receiver; gives a receipt whatever happens. */
export interface Post {
  (posting: Posting): Promise<Receipt>;
  /** Whether a URL shows by itself that it would be refused; what a name leads to is seen when it is connected to. */
  refuses(url: string): boolean;
  /** Closes connections that are kept for the next posting. */
  close(): void;
}

/** Makes the function that posts; it reaches private addresses only where that is allowed. */
export function newPost(reach: { allowsPrivate: boolean; resolve?: Resolve }): Post {
  const { allowsPrivate } = reach;
  const options = { keepAlive: true, timeout: IDLE_MS, lookup: newLookup(reach) };
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };

  const post = async (posting: Posting): Promise<Receipt> => {
    try {
      const url = new URL(posting.url);
      // A literal address is never looked up.
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
    // The receiver closed a kept connection just as it was to be used again: that says nothing of the receiver.
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
    // Once the status has come, it counts, however the rest of the answer ends.
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

/** Why a status is none that says "received". */
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
