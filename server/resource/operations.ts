import { z } from "zod";
import type { Operation } from "../http/operation.ts";
import { readJson } from "../http/parameters/json.ts";
import { shapeChanges, shapeInput } from "../input/shape.ts";
import type { Reader, Transaction } from "../storage/store.ts";
import { readPathId, type ListRequest } from "./listing.ts";
import type { Answer } from "./answer.ts";
import type { Condition, List } from "./list.ts";

/** An operation's own id, texts and errors. */
type Words<Request> = Omit<Operation<Request>, "params" | "body" | "answer" | "handle">;

/*
 * The usual operations of a resource. One that does anything else, such as sending an e-mail or work in many transactions, is a
 * plain `Operation` with a `handle` of its own.
 */

interface Listing<Request, R> {
  list: List<R>;
  /** What the records of this request meet, such as a promoter's own. Absent: nothing. */
  within?(request: Request): Condition[];
}

/** An operation that lists records, page by page. */
export function lists<Request extends ListRequest, R, P, S extends z.ZodType>(
  { schema, showAll }: Answer<R, P, S>,
  { list, within, ...words }: Words<Request> & Listing<Request, R>,
): Operation<Request> {
  return {
    refusals: ["invalid"],
    ...words,
    params: list.params,
    answer: z.array(schema),
    isPaged: true,
    handle: async (request) => showAll(request.context.store, await list.read(request, within?.(request))),
  };
}

/** An operation that shows the record whose id is in the path. */
export function reads<Request extends ListRequest, R, P, S extends z.ZodType>(
  { schema, show }: Answer<R, P, S>,
  { load, ...words }: Words<Request> & { load(reader: Reader, accountId: number, id: number): Promise<R> },
): Operation<Request> {
  return {
    refusals: ["not_found"],
    ...words,
    answer: schema,
    handle: async ({ event, account, context: { store } }) =>
      show(store, await load(store, account.id, readPathId(event))),
  };
}

/** Does the work of a request in its transaction, and says which record to show. */
type Run<Request, Input, R> = (tx: Transaction, request: Request, input: Input) => Promise<R>;

/** An operation that makes a record of a body. */
export function makes<Request extends ListRequest, R, P, S extends z.ZodType, Body extends z.ZodObject>(
  shown: Answer<R, P, S>,
  { body, run, ...words }: Words<Request> & { body: Body; run: Run<Request, z.output<Body>, R> },
): Operation<Request> {
  const read = async ({ event }: Request) => shapeInput(body, await readJson(event));
  return { status: 201, ...words, body, ...writing(shown, read, run) };
}

/** An operation that changes the record whose id is in the path. What the body leaves out stays. */
export function changes<Request extends ListRequest, R, P, S extends z.ZodType, Body extends z.ZodObject>(
  shown: Answer<R, P, S>,
  {
    body,
    run,
    ...words
  }: Words<Request> & { body: Body; run: Run<Request, { id: number; changes: z.output<Body> }, R> },
): Operation<Request> {
  const read = async ({ event }: Request) => ({
    id: readPathId(event),
    changes: shapeChanges(body, await readJson(event)),
  });
  return { ...words, body, ...writing(shown, read, run) };
}

/**
 * An operation on the record whose id is in the path, without a body. The answer is the record as it is now, or as it was
 * before it was deleted.
 */
export function does<Request extends ListRequest, R, P, S extends z.ZodType>(
  shown: Answer<R, P, S>,
  { run, ...words }: Words<Request> & { run: Run<Request, number, R> },
): Operation<Request> {
  const read = async ({ event }: Request) => readPathId(event);
  return { refusals: ["not_found"], ...words, ...writing(shown, read, run) };
}

/** The record is shown in the transaction, so the answer is what was committed. */
function writing<Request extends ListRequest, Input, R, P, S extends z.ZodType>(
  { schema, show }: Answer<R, P, S>,
  read: (request: Request) => Promise<Input>,
  run: Run<Request, Input, R>,
): Pick<Operation<Request>, "answer" | "handle"> {
  return {
    answer: schema,
    async handle(request) {
      const input = await read(request);
      return request.context.store.transact(async (tx) => show(tx.view, await run(tx, request, input)));
    },
  };
}
