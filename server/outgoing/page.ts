import { request as httpRequest, Agent as HttpAgent, type IncomingMessage } from "node:http";
import { request as httpsRequest, Agent as HttpsAgent } from "node:https";
import { isPlainlyPrivate, privateAddressError, newLookup, type Resolve } from "./lookup.ts";

/** Tags are near the beginning of a page. The rest is not read. */
const PAGE_BYTES = 1024 * 1024;
const MOST_REDIRECTS = 5;
const TIMEOUT_MS = 10_000;

/** A fetched page, or the reason of a failure. */
export type FetchedPage =
  | { url: string; html: string; fault: null }
  /** `url`: the address that failed, after redirects. */
  | { url: string; html: null; fault: string };

/** Fetches a page. It never throws. */
export type FetchPage = (url: string) => Promise<FetchedPage>;

/**
 * Makes the function that fetches pages. Like postings, it connects to private addresses only if that is
 * allowed, and each redirect is checked again.
 */
export function newFetchPage(reach: {
  allowsPrivate: boolean;
  resolve?: Resolve;
  timeoutMs?: number;
}): FetchPage {
  const { allowsPrivate, timeoutMs = TIMEOUT_MS } = reach;
  const lookup = newLookup(reach);
  // Connections are not kept, because the same site is rarely fetched twice in a row.
  const agents = { http: new HttpAgent({ lookup }), https: new HttpsAgent({ lookup }) };
  return async (given) => {
    const signal = AbortSignal.timeout(timeoutMs);
    let url = given;
    try {
      for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
        const at = new URL(url);
        if (!/^https?:$/.test(at.protocol)) throw new Error(`${at.protocol} is no address of a page`);
        // A literal address is never looked up, so it is checked here.
        if (!allowsPrivate && isPlainlyPrivate(at)) throw privateAddressError(at.hostname);
        const answer = await get(at, agents, signal);
        const { statusCode: status = 0, headers } = answer;
        const isRedirect = status >= 300 && status < 400 && headers.location !== undefined;
        if (!isRedirect) {
          if (status >= 200 && status < 300) return { url, html: await start(answer, signal), fault: null };
          answer.destroy();
          return { url, html: null, fault: `Answered ${status}` };
        }
        answer.destroy();
        url = new URL(headers.location ?? "", at).href;
      }
      return { url, html: null, fault: `Redirected more than ${MOST_REDIRECTS} times` };
    } catch (error) {
      const late = `No answer within ${timeoutMs / 1_000} s`;
      return { url, html: null, fault: signal.aborted ? late : (error as Error).message || "failed" };
    }
  };
}

function get(
  url: URL,
  agents: { http: HttpAgent; https: HttpsAgent },
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const isSafe = url.protocol === "https:";
  return new Promise((resolve, reject) => {
    const request = (isSafe ? httpsRequest : httpRequest)(url, {
      agent: isSafe ? agents.https : agents.http,
      signal,
      headers: { accept: "text/html", "accept-encoding": "identity", "user-agent": "Tidemark" },
    });
    request.on("response", resolve).on("error", reject).end();
  });
}

/** The beginning of an answer. */
async function start(answer: IncomingMessage, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= PAGE_BYTES) break;
  }
  signal.throwIfAborted();
  return Buffer.concat(chunks).subarray(0, PAGE_BYTES).toString();
}
