import type { z } from "zod";
import type { FailureKind } from "../failure.ts";
import type { ErrorShape } from "./errors.ts";

/** What operations are called with. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One operation of the interface: what its route needs, and what the OpenAPI document says of it. */
export interface Operation<Request> {
  /** One line for people. */
  summary: string;
  /** Parameters of the query; in V1 of the form as well. */
  params?: z.ZodObject;
  /** The JSON body. */
  body?: z.ZodObject;
  /** The answer of a success. */
  answer: z.ZodType;
  /** The status of a success; 200 unless told. */
  status?: 200 | 201;
  /** Whether the answer is a page of a list, with the headers of one. */
  isPaged?: boolean;
  /** Refusals besides those that every operation may give. */
  refusals?: FailureKind[];
  /** Their statuses, where `shape` gives them others than the generation does. */
  statuses?: Partial<Record<FailureKind, number>>;
  /** Their bodies, where `shape` gives them others than the generation does. */
  bodies?: Partial<Record<FailureKind, z.ZodType>>;
  /** How refusals are written; as the generation does it unless told. */
  shape?: ErrorShape;
  handle: (request: Request) => Promise<unknown>;
}
