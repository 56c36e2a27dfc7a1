import { Failure } from "../../failure.ts";
import type { Source, SourceQuery } from "./model.ts";

/** How long one request may take. Long lists with expanded records are slow. */
const TIMEOUT_MS = 60_000;
/** With delays that double from one second to a minute, about three minutes in total. */
const TRIES_AFTER_FAULTS = 8;
const LONGEST_DELAY_MS = 60_000;
/** A busy source says when to try again, so many tries are fine. */
const TRIES_AFTER_BUSY = 50;
const LONGEST_WAIT_MS = 3_600_000;
const MESSAGE_LENGTH = 300;

/** How a source is reached. Tests control the time. */
export interface Reach {
  fetch: typeof fetch;
  /** In milliseconds. */
  now: () => number;
  wait: (ms: number) => Promise<void>;
  timeoutMs?: number;
}

export const systemReach: Reach = {
  fetch: (url, options) => fetch(url, options),
  now: Date.now,
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** What a header may hold. */
const HEADER = /^[\x20-\x7e]*$/;

/** Asks a path of a source, and answers the parsed body. */
export type Get = (path: string, query?: SourceQuery) => Promise<unknown>;

/**
 * Makes a function that sends requests to a source, one at a time and within its rate limit.
 *
 * @throws Failure `invalid` if the key has the wrong form; later `refused` if the source refuses the key or does not answer,
 * `forbidden` if the key may not read the path, `not_found`, and `invalid` if the request is refused
 */
export function newGet(source: Source, { key, baseUrl, reach }: Access): Get {
  const headers = { ...source.headers(key), accept: "application/json", "user-agent": "Tidemark" };
  if (!Object.values(headers).every((value) => HEADER.test(value)))
    throw new Failure(
      "invalid",
      `The key has letters that no key has. ${source.title} needs ${source.keyHint}.`,
    );
  const pace = newPace(source, reach);
  const place = baseUrl.replace(/\/+$/, "");
  const without = withoutSecrets(key);

  return async (path, query = {}) => {
    const url = `${place}${path}${queryText(query)}`;
    let [faults, busy] = [0, 0];
    for (;;) {
      await pace.turn();
      const answer = await ask(url, headers, reach);
      pace.heed(answer.headers);
      if (answer.body !== undefined) return answer.body;
      const { status } = answer;
      const reason = without(answer.fault);
      if (status === 429) {
        busy += 1;
        if (busy > TRIES_AFTER_BUSY) throw new Failure("refused", `${source.title} stays busy: ${reason}`);
        await pace.rest(answer.headers);
        continue;
      }
      if (status !== null && status < 500 && status !== 408) throw refusal(source, { status, path, reason });
      faults += 1;
      if (faults > TRIES_AFTER_FAULTS) {
        throw new Failure(
          "refused",
          `${source.title} does not answer: ${reason.replace(/\.$/, "")}. What was read before is kept, and the next start continues from there.`,
        );
      }
      await reach.wait(Math.min(LONGEST_DELAY_MS, 1_000 * 2 ** (faults - 1)));
    }
  };
}

interface Access {
  key: string;
  baseUrl: string;
  reach: Reach;
}

/** An answer, or the fault if there is no usable body. */
interface Answer {
  /** Null if there was no answer. */
  status: number | null;
  headers: Headers;
  /** Undefined if the answer is unusable. */
  body: unknown;
  fault: string;
}

async function ask(url: string, headers: Record<string, string>, reach: Reach): Promise<Answer> {
  const signal = AbortSignal.timeout(reach.timeoutMs ?? TIMEOUT_MS);
  try {
    // A redirect could send the key to another host.
    const response = await reach.fetch(url, { headers, signal, redirect: "manual" });
    const { status } = response;
    const text = await response.text();
    const parsed = parse(text);
    const isGood = status >= 200 && status < 300;
    if (isGood && parsed !== undefined) return { status, headers: response.headers, body: parsed, fault: "" };
    return {
      // A successful answer that is not JSON was truncated.
      status: isGood ? null : status,
      headers: response.headers,
      body: undefined,
      fault: isGood ? "the answer is not JSON" : `${status} ${messageIn(parsed) ?? ""}`.trim(),
    };
  } catch (error) {
    const { name, message, cause } = error as Error;
    const reason = cause instanceof Error && cause.message !== "" ? cause.message : message;
    const fault = name === "TimeoutError" ? "no answer in time" : reason;
    return { status: null, headers: new Headers(), body: undefined, fault };
  }
}

function refusal(source: Source, { status, path, reason }: { status: number; path: string; reason: string }) {
  if (status === 401)
    return new Failure("refused", `The key was refused by ${source.title}. It needs ${source.keyHint}.`);
  const about = `${source.title} refuses ${path}: ${reason}`;
  if (status === 403) return new Failure("forbidden", about);
  if (status === 404) return new Failure("not_found", about);
  return new Failure(status === 400 || status === 422 ? "invalid" : "refused", about);
}

/** Sources put the message in `message`, `error`, or `error.message`. */
function messageIn(body: unknown): string | null {
  if (typeof body !== "object" || body === null) return null;
  const { message, error } = body as { message?: unknown; error?: unknown };
  if (typeof message === "string") return message.slice(0, MESSAGE_LENGTH);
  if (typeof error === "string") return error.slice(0, MESSAGE_LENGTH);
  return messageIn(error);
}

/** Keys may have two parts, and a source may repeat one of them in its message. */
function withoutSecrets(key: string): (text: string) => string {
  const parts = [key, ...key.split(/[\s:]+/)].filter((part) => part.length >= 4);
  return (text) => parts.reduce((shown, part) => shown.replaceAll(part, "…"), text);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // A proxy's page, or a truncated body.
  }
}

function queryText(query: SourceQuery): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (typeof value === "object" ? value : [value]).map((each) => [name, String(each)]),
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

/** Obeys a source's rate limit, including the one in its answers' headers. */
function newPace({ limit, title }: Source, { now, wait }: Reach) {
  /** When the latest requests were sent. */
  const sentAt: number[] = [];
  let restsUntil = 0;
  return {
    /** Waits until a request may be sent. */
    async turn() {
      const [first = -Infinity] = sentAt.length < limit.requests ? [] : sentAt;
      const delay = Math.max(first + limit.withinMs, restsUntil) - now();
      if (delay > 0) await wait(delay);
      if (sentAt.length >= limit.requests) sentAt.shift();
      sentAt.push(now());
    },
    /** The limit is used up until the window ends. */
    heed(headers: Headers) {
      const reset = windowEnd(headers, now());
      if (reset !== null && remaining(headers) === 0) restsUntil = Math.min(reset, now() + LONGEST_WAIT_MS);
    },
    /** Waits as long as the answer asks for, or for a whole window. */
    async rest(headers: Headers) {
      const retryAt = instant(headers.get("retry-after"), now()) ?? windowEnd(headers, now());
      const delay = Math.max(1_000, (retryAt ?? now() + limit.withinMs) - now());
      if (delay > LONGEST_WAIT_MS)
        throw new Failure("refused", `${title} allows no requests for ${Math.ceil(delay / 60_000)} minutes`);
      await wait(delay);
    },
  };
}

/** @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/; its drafts have three forms */
function remaining(headers: Headers): number | null {
  const single = headers.get("ratelimit-remaining") ?? headers.get("x-ratelimit-remaining");
  const value = single ?? /\b(?:remaining|r)=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1] ?? "";
  return /^\d+$/.test(value) ? Number(value) : null;
}

function windowEnd(headers: Headers, now: number): number | null {
  const single = headers.get("ratelimit-reset") ?? headers.get("x-ratelimit-reset");
  return instant(single ?? /\b(?:reset|t)=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1] ?? null, now);
}

/** Parses seconds from now, seconds or milliseconds since 1970, or a date. */
function instant(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (!/^\d+(\.\d+)?$/.test(value)) {
    const date = Date.parse(value);
    return Number.isNaN(date) ? null : date;
  }
  const number = Number(value);
  if (number > 1e11) return number;
  return number > 1e9 ? number * 1_000 : now + number * 1_000;
}
