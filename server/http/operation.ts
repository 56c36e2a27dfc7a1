import type { z } from "zod";
import type { FailureKind } from "../failure.ts";
import type { OwnRefusals } from "./errors.ts";

/** The HTTP methods of operations. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** An operation of the API: what its route and the OpenAPI document need. */
export interface Operation<Request> extends Partial<OwnRefusals> {
  /** Its id in the document. Clients name their methods after it, so it never changes. */
  id: string;
  /** One line for the document. */
  summary: string;
  /** What it does, for the document. */
  description: string;
  /** An example body, if the required fields alone are not a good one. */
  example?: object;
  /** The path's `id`, if it is not only the record's number. */
  pathId?: z.ZodType;
  /** Parameters of the query and, in V1, of the form. */
  params?: z.ZodObject;
  /** The JSON body. */
  body?: z.ZodObject;
  /** The body is a file of this type, raw or in the field `file` of a form, instead of `body`. */
  upload?: "text/csv";
  /** The answer on success. */
  answer: z.ZodType;
  /** The media type of the answer, JSON by default. Others are sent as text or as a file, or streamed. */
  media?: "text/csv" | "application/x-ndjson" | "application/pdf" | "application/zip";
  /** Further media types, for files in several formats. The handler sets the header. */
  furtherMedia?: readonly ("application/xml" | "text/plain")[];
  /** The status on success, 200 by default. */
  status?: 200 | 201 | 202 | 204;
  /** The answer with status 202, for operations that may complete a request later. */
  acceptedAnswer?: z.ZodType;
  /** The meaning of a 204, for operations whose handler may answer null. */
  emptyAnswer?: string;
  /** Whether the answer is a page of a list, with the page headers. */
  isPaged?: boolean;
  /** Whether it records what customers do, which the audit log does not repeat. */
  isTracking?: true;
  /** Errors besides those that every operation may give. */
  refusals?: FailureKind[];
  handle: (request: Request) => Promise<unknown>;
}

/** The introduction of an operation in the document. */
export type Introduced = Pick<Operation<never>, "id" | "summary" | "description">;

/**
 * Who may call an operation of V2.
 *
 * - `anyone`: no sign-in is needed
 * - `promoter`: a promoter who is signed in to the portal
 * - `key`: a program with an API key
 * - `person`: a signed-in user, on their own behalf
 * - `viewer`, `manager`, `owner`: a signed-in user with this role or a higher one, or a program with an API key
 */
export type Access = "anyone" | "promoter" | "key" | "person" | "viewer" | "manager" | "owner";
