import type { z } from "zod";
import type { FailureKind } from "../failure.ts";
import type { OwnRefusals } from "./errors.ts";

/** The methods that operations are called with. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One operation of the interface: what its route needs, and what the OpenAPI document says about it. */
export interface Operation<Request> extends Partial<OwnRefusals> {
  /** Names it in the document. Clients name their methods after it, so it never changes. */
  id: string;
  /** One line for readers of the document. */
  summary: string;
  /** What it does, for readers of the document. */
  description: string;
  /** A request's body, if its required fields alone are no good example. */
  example?: object;
  /** The `id` of the path, if it may be something else than the record's number. */
  pathId?: z.ZodType;
  /** Parameters of the query, and in V1 of the form. */
  params?: z.ZodObject;
  /** The JSON body. */
  body?: z.ZodObject;
  /** The body is a file of this type, as it is or in the field `file` of a form. It is instead of `body`. */
  upload?: "text/csv";
  /** The answer on success. */
  answer: z.ZodType;
  /** The form of the answer, JSON by default. Other forms are answered as text, or as parts of a text, one by one. */
  media?: "text/csv" | "application/x-ndjson";
  /** The status on success, 200 by default. */
  status?: 200 | 201 | 202 | 204;
  /** The answer with status 202, for operations that may keep a request until later. */
  acceptedAnswer?: z.ZodType;
  /** The meaning of a 204, for operations whose handler may answer null. */
  emptyAnswer?: string;
  /** Whether the answer is a page of a list, with the page headers. */
  isPaged?: boolean;
  /** Whether it records what customers do. The audit log does not repeat such facts. */
  isTracking?: true;
  /** Whether its figures may be a moment old. The answer then says how old. */
  mayBeAged?: true;
  /** Refusals besides those that every operation may give. */
  refusals?: FailureKind[];
  handle: (request: Request) => Promise<unknown>;
}

/** What readers of the document learn about an operation first. */
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
