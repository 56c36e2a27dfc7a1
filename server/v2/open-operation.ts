import type { EventHandler, H3Event } from "h3";
import type { Context } from "../domain/context.ts";
import { Failure } from "../failure.ts";
import { NO_STORE, empty, json, withCookies, type AnswerHeaders } from "../http/answer.ts";
import { v2Error } from "../http/errors.ts";
import type { Method, Operation } from "../http/operation.ts";
import { isFromOwnPage } from "../http/origin.ts";
import { newContext, type Afterwards, type Services } from "../request/services.ts";
import { refuse } from "../request/refusal.ts";
import { signInLimits, type SignInLimits } from "../request/sign-in.ts";
import { ignoredFieldsHeader } from "./operation.ts";

/** A request without a session. */
export interface OpenRequest extends SignInLimits {
  event: H3Event;
  context: Context;
  /** The server's own address, for links. */
  publicUrl: string;
  /** Whether the server can send e-mails. */
  hasMail: boolean;
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
    const { publicUrl, mail } = services;
    const hasMail = mail !== null;
    try {
      if (event.req.headers.has("origin") && !isFromOwnPage(event, publicUrl)) {
        throw new Failure("forbidden", "The request does not come from a page of this server");
      }
      const attempts = signInLimits(services, event, "user");
      const afterwards = services.afterwards.run;
      const context = newContext(services);
      const cookies: string[] = [];
      const edges = { publicUrl, ...attempts, hasMail, afterwards, headers, cookies };
      const answer = await handle({ event, context, ...edges });
      Object.assign(headers, ignoredFieldsHeader(event, body));
      return withCookies(answer === null ? empty(headers) : json(answer, headers, status), cookies);
    } catch (error) {
      Object.assign(headers, ignoredFieldsHeader(event, body));
      return refuse(services, event, { error, generation: "v2", shape: v2Error, headers });
    }
  };
}
