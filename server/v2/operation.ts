import type { EventHandler, H3Event } from "h3";
import type { Context } from "../domain/context.ts";
import { Failure } from "../failure.ts";
import type { Access, Method, Operation } from "../http/operation.ts";
import {
  NO_STORE,
  empty,
  file,
  isAccepted,
  json,
  streamed,
  text,
  withCookies,
  type AnswerHeaders,
} from "../http/answer.ts";
import { v2Error } from "../http/errors.ts";
import { rateLimitHeaders } from "../http/limits/rate-limit.ts";
import type { OutgoingMail } from "../outgoing/mail.ts";
import type { FetchPage } from "../outgoing/page.ts";
import type { Post } from "../outgoing/post.ts";
import type { Uploads } from "../outgoing/uploads.ts";
import type { Account } from "../domain/program/account/account.ts";
import { handleAged } from "../request/aged-reads.ts";
import { actorOf, type Caller } from "../request/caller.ts";
import { refuse } from "../request/refusal.ts";
import { newContext, type Services } from "../request/services.ts";
import { vatInquiry, type VatInquiry } from "../request/vat-inquiry.ts";
import type { Seal } from "../seal.ts";
import { signInLimits, type SignInLimits } from "../request/sign-in.ts";
import { authenticate } from "./authentication.ts";
import { ignoredFieldsHeader } from "./ignored-fields.ts";
import { seesPayoutDetails, withMaskedDetails } from "./payout/masked-details.ts";

/** An authenticated request. */
export interface V2Request {
  event: H3Event;
  account: Account;
  caller: Caller;
  context: Context;
  /** The server's own address, for links. */
  publicUrl: string;
  /** Counts an attempt to guess this user's password. @throws Failure `rate_limited` */
  limit(email: string): Promise<unknown>;
  /** Counts a request for an e-mail to this address. @throws Failure `rate_limited` */
  limitEmail(email: string): Promise<void>;
  /** Counts an e-mail that a user of the account triggers. @throws Failure `rate_limited` */
  limitInvitation: SignInLimits["limitInvitation"];
  /** Null if mail is not set up. */
  mail: OutgoingMail | null;
  /** Encrypts the secrets of payment providers. */
  seal: Seal;
  /** Posts to receivers of webhooks. */
  post: Post;
  /** Fetches a page of a company's site. */
  fetchPage: FetchPage;
  /** Asks VIES about a promoter's VAT number after the answer. */
  inquireVat: VatInquiry;
  /** Keeps files that were uploaded. */
  uploads: Uploads;
  /** Writes an e-mail to a promoter. */
  writeEmail: Services["writeEmail"];
  /** Headers that the handler adds to its answer. */
  headers: AnswerHeaders;
  /** Cookies that the handler adds to its answer. */
  cookies: string[];
}

/** An operation of V2. */
export type V2Operation = Operation<V2Request>;

/** An operation and its route. Without `access`, a viewer may read and a manager may change. */
export type V2Row = [Method, path: string, V2Operation, access?: Access];

/** The access that an operation requires. */
export function accessOf([method, , , access]: V2Row): Access {
  return access ?? (method === "GET" ? "viewer" : "manager");
}

/**
 * Makes the route of a V2 operation: it authenticates, checks the role and the rate limit, runs the operation, and
 * writes its result or its errors.
 */
export function v2Route(services: Services, row: V2Row): EventHandler {
  const [, , operation] = row;
  const access = accessOf(row);
  const { body, media, shape = v2Error, status = 200 } = operation;
  return async (event) => {
    const headers: AnswerHeaders = { ...NO_STORE };
    try {
      const { account, caller } = await authenticate(services, event, access);
      const state = await services.limits.v2.take(limitedAs(account, caller));
      Object.assign(headers, rateLimitHeaders(state));
      if (state?.allowed === false) throw new Failure("rate_limited", "Rate limit exceeded");
      const { publicUrl, mail, seal, post, fetchPage, uploads, writeEmail } = services;
      const context = newContext(services, operation.isTracking ? null : actorOf(caller));
      const limits = signInLimits(services, event, "user");
      const cookies: string[] = [];
      const edges = {
        publicUrl,
        ...limits,
        mail,
        seal,
        post,
        fetchPage,
        inquireVat: vatInquiry(services, account.id),
        uploads,
        writeEmail,
        headers,
        cookies,
      };
      const answer = await handleAged(operation, { event, account, caller, context, ...edges });
      if (operation.isTracking) services.sightings.see("server-call", operation.id, account.id);
      Object.assign(headers, ignoredFieldsHeader(event, body));
      if (media !== undefined && typeof answer === "string") return text(answer, media, headers);
      if (media !== undefined && answer instanceof Uint8Array) return file(answer, media, headers);
      if (media !== undefined) return streamed(watched(services, answer), media, headers);
      const told = seesSecrets(caller) ? answer : withoutSecrets(answer);
      const shown = seesPayoutDetails(caller) ? told : withMaskedDetails(told);
      const answered = isAccepted(answer) ? 202 : status;
      return withCookies(answer === null ? empty(headers) : json(shown, headers, answered), cookies);
    } catch (error) {
      Object.assign(headers, ignoredFieldsHeader(event, body));
      return refuse(services, event, { error, generation: "v2", shape, headers });
    }
  };
}

/** Logs a download that fails after the status was sent, because the client can't see the reason. */
async function* watched({ log }: Services, parts: unknown): AsyncGenerator<string | Uint8Array> {
  try {
    yield* parts as AsyncIterable<string | Uint8Array>;
  } catch (error) {
    log.error({ err: error }, "a download failed half way");
    throw error;
  }
}

/** Users have their own limit, apart from the account's programs. */
function limitedAs(account: Account, caller: Caller): string {
  return caller.kind === "key" ? String(account.id) : `user ${caller.user.id}`;
}

function seesSecrets(caller: Caller): boolean {
  return caller.kind === "key" || caller.user.role !== "viewer";
}

/** The names of fields with credentials. */
const SECRETS = new Set(["auth_token", "temp_password", "password_setup_url", "secret_key"]);

/**
 * Replaces all secrets in an answer by null. It goes by field names, so that a new operation can't forget it. The values
 * of a webhook's headers are replaced too, because they often contain the receiver's password.
 */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, hidden(name, inner)]));
}

function hidden(name: string, value: unknown): unknown {
  if (SECRETS.has(name)) return null;
  if (name !== "headers") return withoutSecrets(value);
  return Object.fromEntries(Object.keys(value ?? {}).map((header) => [header, ""]));
}
