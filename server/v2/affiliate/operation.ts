import type { EventHandler, H3Event } from "h3";
import { z } from "zod";
import type { Account } from "../../domain/program/account/account.ts";
import type { Context } from "../../domain/context.ts";
import { findSignedInPromoter } from "../../domain/people/portal/sign-in.ts";
import type { Promoter } from "../../domain/people/promoter/promoter.ts";
import { noteUse, type Session } from "../../domain/access/session.ts";
import { Failure } from "../../failure.ts";
import { NO_STORE, empty, file, json, text, withCookies, type AnswerHeaders } from "../../http/answer.ts";
import { readBearer, readSessionToken, SESSION_COOKIES } from "../../http/credentials.ts";
import { clientAddress, networkOf } from "../../http/client-address.ts";
import { v2Error } from "../../http/errors.ts";
import type { Method, Operation } from "../../http/operation.ts";
import { isFromOwnPage } from "../../http/origin.ts";
import { newContext, type Afterwards, type Services } from "../../request/services.ts";
import { vatInquiry, type VatInquiry } from "../../request/operation.ts";
import { refuse } from "../../request/refusal.ts";
import { signInLimits, take, type SignInLimits } from "../../request/sign-in.ts";
import { preferredLanguage, type Language } from "../../languages/languages.ts";
import type { Seal } from "../../seal.ts";
import { digest } from "../../storage/digests.ts";
import { ignoredFieldsHeader } from "../operation.ts";
import { withMaskedDetails } from "../payout/masked-details.ts";
import { csvForPeople } from "../../csv.ts";
import type { Condition, List } from "../../resource/list.ts";

/** A request to a portal operation that needs no session. */
export interface OpenRequest extends SignInLimits {
  event: H3Event;
  context: Context;
  public_url: string;
  /** Encrypts the secrets of payment providers. */
  seal: Seal;
  /** The network address of the client, or null if unknown. */
  address: string | null;
  /** Whether the server can send e-mails. */
  has_mail: boolean;
  /** The language that the browser prefers, or null if it prefers none of ours. */
  language: Language | null;
  /** Runs work after the answer, so that the response time does not reveal it. */
  afterwards: Afterwards["run"];
  /** Headers that the handler adds to its answer. */
  headers: AnswerHeaders;
  /** Cookies that the handler adds to its answer. */
  cookies: string[];
}

/** A request of a signed-in promoter. */
export interface AffiliateRequest extends OpenRequest {
  account: Account;
  promoter: Promoter;
  session: Session;
  /** Counts a request that makes the server ask another one about the promoter. @throws Failure `rate_limited` */
  limitOutsideCheck(): Promise<void>;
  /** Asks VIES about the promoter's VAT number after the answer. */
  inquireVat: VatInquiry;
}

/** An operation for signed-in promoters. */
export interface AffiliateOperation extends Operation<AffiliateRequest> {
  /** Whether it is allowed before a temporary password is replaced. */
  isForNewcomers?: boolean;
  /** Whether a user of the company who views the portal may call it although it changes something. */
  isForReaders?: boolean;
}

/** An operation that needs no session. */
export type OpenOperation = Operation<OpenRequest>;

export type AffiliateRow = [Method, path: string, AffiliateOperation];
export type OpenRow = [Method, path: string, OpenOperation];

/** Makes the route of an operation that promoters call with the portal's cookie or a bearer token. */
export function affiliateRoute(services: Services, operation: AffiliateOperation): EventHandler {
  return route(services, operation, async (request) => {
    const admission = await admitPromoter(services, request);
    const { session } = admission;
    const changes = request.event.req.method !== "GET" && !operation.isForReaders;
    if (session.is_read_only && changes) {
      throw new Failure(
        "forbidden",
        "You are looking at a promoter's portal, and can't change anything in it",
      );
    }
    if (session.must_set_password && !operation.isForNewcomers) {
      throw new Failure("forbidden", "Choose a password first");
    }
    const { account_id, id, email } = admission.promoter;
    const limitOutsideCheck = () =>
      take(services.limits.outsideChecks, `${account_id} ${id}`, "Too many requests. Wait a minute");
    // A viewer of the portal changes nothing, so the audit log never names the promoter for a change by someone else.
    const context = newContext(services, { kind: "promoter", id, name: email });
    const inquireVat = vatInquiry(services, account_id);
    const own = { context, limitOutsideCheck, inquireVat };
    const answer = await operation.handle({ ...request, ...admission, ...own });
    return session.is_read_only ? withMaskedDetails(answer) : answer;
  });
}

/**
 * Makes the route of an operation without a session. Pages of other sites may not call it, because they could
 * sign their visitor in to another account. Programs send no `Origin` and may call it.
 */
export function entranceRoute(services: Services, operation: OpenOperation): EventHandler {
  return route(services, operation, (request) => {
    const { event, public_url } = request;
    if (event.req.headers.has("origin")) requireOwnPage(event, public_url);
    return operation.handle(request);
  });
}

/** @throws Failure `forbidden` */
function requireOwnPage(event: H3Event, publicUrl: string): void {
  if (isFromOwnPage(event, publicUrl)) return;
  throw new Failure("forbidden", "The request does not come from a page of this server");
}

function route(
  services: Services,
  { body, media, shape = v2Error, status = 200 }: Operation<never>,
  answerTo: (request: OpenRequest) => Promise<unknown>,
): EventHandler {
  return async (event) => {
    const headers: AnswerHeaders = { ...NO_STORE };
    try {
      const { public_url, mail, seal } = services;
      const hasMail = mail !== null;
      const address = clientAddress(event, services.trust_proxy_hops);
      const context = newContext(services);
      const attempts = signInLimits(services, event, "promoter");
      const afterwards = services.afterwards.run;
      const cookies: string[] = [];
      const language = preferredLanguage(event.req.headers.get("accept-language"));
      const edges = {
        public_url,
        seal,
        address,
        language,
        ...attempts,
        has_mail: hasMail,
        afterwards,
        headers,
        cookies,
      };
      const answer = await answerTo({ event, context, ...edges });
      Object.assign(headers, ignoredFieldsHeader(event, body));
      if (media !== undefined && answer instanceof Uint8Array) return file(answer, media, headers);
      if (media !== undefined) return text(String(answer), media, headers);
      return withCookies(status === 204 ? empty(headers) : json(answer, headers, status), cookies);
    } catch (error) {
      Object.assign(headers, ignoredFieldsHeader(event, body));
      return refuse(services, event, { error, generation: "v2", shape, headers });
    }
  };
}

/**
 * Finds the signed-in promoter. A bearer token comes from a page of the company's own product. Only a cookie is added
 * by browsers on their own, so the origin is checked only for cookies.
 *
 * @throws Failure `unauthorized`, `forbidden` for a change from another site, `rate_limited` after too many failed tries
 */
async function admitPromoter(
  { limits }: Services,
  { event, context, public_url, address }: OpenRequest,
): Promise<Pick<AffiliateRequest, "account" | "promoter" | "session">> {
  const bearer = readBearer(event);
  const token = bearer ?? readSessionToken(event, SESSION_COOKIES.promoter);
  // The portal asks for the session whenever it loads, so a missing session does not count as a guess.
  const found =
    token === null
      ? null
      : await limits.failedAuthentication.attempt(networkOf(address), `portal ${digest(token)}`, () =>
          findSignedInPromoter(context, token),
        );
  if (found === null) throw new Failure("unauthorized", "No promoter is signed in");
  if (bearer === null && event.req.method !== "GET") requireOwnPage(event, public_url);
  await noteUse(context, found.session);
  return found;
}

/** A spreadsheet still handles this many lines well. Older records can be exported by date. */
const MOST_EXPORTED = 10_000;

interface OwnExport<R> {
  id: string;
  /** What the file has, which is also its name. */
  noun: string;
  /** Ends the description. */
  note: string;
  list: List<R>;
  /** What the promoter's records meet. */
  within(request: AffiliateRequest): Condition[];
  columns: string[];
  linesOf(request: AffiliateRequest, records: R[]): Promise<object[]>;
}

/** The operation that downloads a list of the promoter as a CSV file. */
export function ownExport<R>({
  id,
  noun,
  note,
  list,
  within,
  columns,
  linesOf,
}: OwnExport<R>): AffiliateOperation {
  return {
    id,
    summary: `Download the promoter's ${noun} as a CSV file`,
    description: `Downloads the newest 10,000 ${noun} as CSV. ${note}`,
    params: z.object({ filters: list.filters }),
    answer: z.string(),
    media: "text/csv",
    refusals: ["invalid"],
    async handle(request) {
      const lines = await linesOf(request, await list.readFirst(request, MOST_EXPORTED, within(request)));
      return csvFile(request, { name: `${noun}.csv`, columns, lines });
    },
  };
}

/** Sets the headers of a CSV download with this file name, and returns its body. */
export function csvFile(
  { headers }: Pick<AffiliateRequest, "headers">,
  { name, columns, lines }: { name: string; columns: string[]; lines: object[] },
): string {
  headers["content-disposition"] = `attachment; filename="${name}"`;
  return csvForPeople(lines, { header: true, columns });
}
