import type { EventHandler, H3Event } from "h3";
import type { z } from "zod";
import type { Context } from "../domain/context.ts";
import { Failure, isOutage, type FieldErrors } from "../failure.ts";
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
import { v2Error, type ErrorShape } from "../http/errors.ts";
import { rateLimitHeaders } from "../http/limits/rate-limit.ts";
import type { OutgoingMail } from "../outgoing/mail.ts";
import type { FetchPage } from "../outgoing/page.ts";
import type { Post } from "../outgoing/post.ts";
import type { Uploads } from "../outgoing/uploads.ts";
import type { Account } from "../domain/program/account/account.ts";
import { logFailures, vatInquiry, type VatInquiry } from "../request/operation.ts";
import { actorOf, admit, type Caller } from "../request/caller.ts";
import { refuse } from "../request/refusal.ts";
import { newContext, trackingContext, type Services, type Afterwards } from "../request/services.ts";
import type { Seal } from "../seal.ts";
import { signInLimits, type SignInLimits } from "../request/sign-in.ts";
import { seesPayoutDetails, withMaskedDetails, withoutEcho } from "./payout/masked-details.ts";
import { noteUse } from "../domain/access/session.ts";
import { findSignedInUser, type SignedInUser } from "../domain/access/user/sign-in.ts";
import { includesRole } from "../domain/access/user/user.ts";
import { readAccountId, readBearer, readSessionToken, SESSION_COOKIES } from "../http/credentials.ts";
import { clientAddress } from "../http/client-address.ts";
import { isFromOwnPage } from "../http/origin.ts";
import { knownJson } from "../http/parameters/json.ts";
import { unlistedNames, describe } from "../input/shape.ts";

/** An authenticated request. */
export interface V2Request {
  event: H3Event;
  account: Account;
  caller: Caller;
  context: Context;
  /** The server's own address, for links. */
  public_url: string;
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
      const { public_url, mail, seal, post, fetchPage, uploads, writeEmail } = services;
      const context = (operation.isTracking ? trackingContext : newContext)(services, actorOf(caller));
      const limits = signInLimits(services, event, "user");
      const cookies: string[] = [];
      const edges = {
        public_url,
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
      const answer = await operation.handle({ event, account, caller, context, ...edges });
      if (operation.isTracking) services.sightings.see("server-call", operation.id, account.id);
      Object.assign(headers, ignoredFieldsHeader(event, body));
      if (media !== undefined && typeof answer === "string") return text(answer, media, headers);
      if (media !== undefined && answer instanceof Uint8Array) return file(answer, media, headers);
      if (media !== undefined)
        return streamed(logFailures(services, answer as AsyncIterable<string | Uint8Array>), media, headers);
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
  const shown = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, hidden(name, inner)]));
  return withoutEcho(value, shown);
}

function hidden(name: string, value: unknown): unknown {
  if (SECRETS.has(name)) return null;
  if (name !== "headers") return withoutSecrets(value);
  return Object.fromEntries(Object.keys(value ?? {}).map((header) => [header, ""]));
}

/** Methods that only read. */
const READING = new Set(["GET", "HEAD"]);

/** The caller of an operation, and the account that it works on. */
export interface Admitted {
  account: Account;
  caller: Caller;
}

/**
 * Finds the caller by bearer token and `Account-ID`, or by session cookie. A bearer token takes precedence,
 * because a browser adds the cookie to every request.
 *
 * @see docs/spec/common.md "Authentication", 2
 * @throws Failure `unauthorized`, `forbidden` or `rate_limited`
 */
async function authenticate(services: Services, event: H3Event, access: Access): Promise<Admitted> {
  const isByKey = readBearer(event) !== null || access === "key";
  const token = isByKey ? null : readSessionToken(event, SESSION_COOKIES.user);
  if (token !== null) return admitUser(services, event, { token, access });
  if (access === "person" && !isByKey) throw new Failure("unauthorized", "No user is signed in");
  const admitted = await admitKey(services, event);
  if (access !== "person") return admitted;
  throw new Failure("forbidden", "Only a signed-in user can do this, not an API key");
}

async function admitKey(services: Services, event: H3Event): Promise<Admitted> {
  const address = clientAddress(event, services.trust_proxy_hops);
  const { account, apiKey } = await admit(services, address, readBearer(event));
  const accountId = readAccountId(event);
  if (accountId === null) throw new Failure("unauthorized", "The Account-ID header is missing");
  if (accountId !== account.public_id) {
    throw new Failure("forbidden", "The access token does not belong to this account");
  }
  return { account, caller: { kind: "key", name: apiKey.name } };
}

/** A session belongs to an account, so `Account-ID` is optional, but must match if it is sent. */
async function admitUser(
  services: Services,
  event: H3Event,
  { token, access }: { token: string; access: Access },
): Promise<Admitted> {
  const context = { store: services.store, now: services.clock() };
  const signedIn = await findSignedInUser(context, token);
  if (signedIn === null) throw new Failure("unauthorized", "The session has ended. Sign in again.");
  const { account, user, session } = signedIn;
  if (!READING.has(event.req.method) && !isFromOwnPage(event, services.public_url)) {
    throw new Failure("forbidden", "The request does not come from a page of this server");
  }
  const accountId = readAccountId(event);
  if (accountId !== null && accountId !== account.public_id) {
    throw new Failure("forbidden", "The session does not belong to this account");
  }
  requireRole(signedIn, access);
  if (access !== "person" && account.requires_second_factor === true && user.second_factor === null) {
    throw new Failure(
      "second_factor_setup_required",
      "The account demands a second factor: set one up first",
    );
  }
  // Reading must still work when the disk is full.
  await noteUse(context, session).catch((error: unknown) => {
    if (!isOutage(error)) throw error;
    services.logOutage(error);
  });
  return { account, caller: { kind: "user", user, session } };
}

function requireRole({ user }: SignedInUser, access: Access): void {
  if (access !== "viewer" && access !== "manager" && access !== "owner") return;
  if (includesRole(user.role, access)) return;
  throw new Failure("forbidden", `This needs the role ${access}, and you are a ${user.role}`);
}

/** Clients and proxies accept at least 8 KiB of headers, and a few names are enough to notice a mistake. */
const MAX_HEADER_LENGTH = 1_000;
const MORE_NAMES = "...";

/**
 * `X-Ignored-Fields`: the unknown fields of a request's body, percent-encoded. They are harmless, but the client may
 * have misspelt them.
 */
export function ignoredFieldsHeader(event: H3Event, schema: z.ZodObject | undefined): AnswerHeaders {
  const given = knownJson(event);
  const names = given === null || schema === undefined ? [] : unlistedNames(schema, given);
  return names.length === 0 ? {} : { "x-ignored-fields": namesHeader(names) };
}

function namesHeader(names: string[]): string {
  let list = "";
  for (const name of names) {
    const next = list === "" ? encodeName(name) : `${list}, ${encodeName(name)}`;
    if (next.length + MORE_NAMES.length + 2 > MAX_HEADER_LENGTH)
      return list === "" ? MORE_NAMES : `${list}, ${MORE_NAMES}`;
    list = next;
  }
  return list;
}

/** JSON may contain lone surrogates, which can't be percent-encoded. A buffer replaces them. */
function encodeName(name: string): string {
  return encodeURIComponent(Buffer.from(name).toString()).replaceAll("%5B", "[").replaceAll("%5D", "]");
}

/** Renames the fields of field errors from the domain's names to V2's, and writes them with `shape`. */
export function recordError(names: Record<string, string> = {}, shape: ErrorShape = v2Error): ErrorShape {
  return (failure, headers) => {
    if (Object.keys(failure.fields).length === 0) return shape(failure, headers);
    const fields: FieldErrors = {};
    for (const [name, messages] of Object.entries(failure.fields)) fields[names[name] ?? name] = messages;
    return shape(new Failure(failure.kind, describe(fields), fields), headers);
  };
}

/** A request without a session. */
export interface OpenRequest extends SignInLimits {
  event: H3Event;
  context: Context;
  /** The server's own address, for links. */
  public_url: string;
  /** Whether the server can send e-mails. */
  has_mail: boolean;
  /** Runs work after the answer, so that the response time does not reveal it. */
  afterwards: Afterwards["run"];
  /** Headers that the handler adds to its answer. */
  headers: AnswerHeaders;
  /** Cookies that the handler adds to its answer. */
  cookies: string[];
}

/** An operation that needs no sign-in. */
export type OpenOperation = Operation<OpenRequest>;

/** An operation and its route. */
export type OpenRow = [Method, path: string, OpenOperation];

/**
 * Makes the route of an operation without a session. Pages of other sites may not call it, because they could sign
 * their visitor in to another account. Programs send no `Origin` and may call it.
 */
export function openRoute(services: Services, operation: OpenOperation): EventHandler {
  const { handle, body, status = 200 } = operation;
  return async (event) => {
    const headers: AnswerHeaders = { ...NO_STORE };
    const { public_url, mail } = services;
    const hasMail = mail !== null;
    try {
      if (event.req.headers.has("origin") && !isFromOwnPage(event, public_url)) {
        throw new Failure("forbidden", "The request does not come from a page of this server");
      }
      const attempts = signInLimits(services, event, "user");
      const afterwards = services.afterwards.run;
      const context = newContext(services);
      const cookies: string[] = [];
      const edges = { public_url, ...attempts, has_mail: hasMail, afterwards, headers, cookies };
      const answer = await handle({ event, context, ...edges });
      Object.assign(headers, ignoredFieldsHeader(event, body));
      return withCookies(answer === null ? empty(headers) : json(answer, headers, status), cookies);
    } catch (error) {
      Object.assign(headers, ignoredFieldsHeader(event, body));
      return refuse(services, event, { error, generation: "v2", shape: v2Error, headers });
    }
  };
}
