import { z } from "zod";
import type { Operation } from "../http/operation.ts";
import { readJson } from "../http/parameters/json.ts";
import { shapeChanges, shapeInput } from "../input/shape.ts";
import type { Reader, Transaction } from "../storage/store.ts";
import { readPathId, type ListRequest } from "./listing.ts";
import type { Shown } from "./shown.ts";

/** What an operation says of itself, besides what the resource says. */
type Words<Request> = Omit<Operation<Request>, "params" | "body" | "answer" | "handle">;

/** An operation that lists records, page by page. */
export function lists<Request extends ListRequest, R, P, Answer extends z.ZodType>(
  { answer, showAll }: Shown<R, P, Answer>,
  {
    list,
    ...words
  }: Words<Request> & { list: { params: z.ZodObject; read(request: Request): Promise<R[]> } },
): Operation<Request> {
  return {
    refusals: ["invalid"],
    ...words,
    params: list.params,
    answer: z.array(answer),
    isPaged: true,
    handle: async (request) => showAll(request.context.store, await list.read(request)),
  };
}

/** An operation that shows the record whose id is in the path. */
export function reads<Request extends ListRequest, R, P, Answer extends z.ZodType>(
  { answer, show }: Shown<R, P, Answer>,
  { load, ...words }: Words<Request> & { load(reader: Reader, accountId: number, id: number): Promise<R> },
): Operation<Request> {
  return {
    refusals: ["not_found"],
    ...words,
    answer,
    handle: async ({ event, account, context: { store } }) =>
      show(store, await load(store, account.id, readPathId(event))),
  };
}

/** Runs in the transaction of the request. The answer is shown in it, too, so it is what was committed. */
type Run<Request, Input, R> = (tx: Transaction, request: Request, input: Input) => Promise<R>;

/** An operation that makes a record of a body. */
export function makes<Request extends ListRequest, R, P, Answer extends z.ZodType, Body extends z.ZodObject>(
  { answer, show }: Shown<R, P, Answer>,
  { body, run, ...words }: Words<Request> & { body: Body; run: Run<Request, z.output<Body>, R> },
): Operation<Request> {
  return {
    status: 201,
    ...words,
    body,
    answer,
    async handle(request) {
      const given = shapeInput(body, await readJson(request.event));
      return request.context.store.transact(async (tx) => show(tx.view, await run(tx, request, given)));
    },
  };
}

/** An operation that changes the record whose id is in the path. What the body leaves out stays. */
export function changes<
  Request extends ListRequest,
  R,
  P,
  Answer extends z.ZodType,
  Body extends z.ZodObject,
>(
  { answer, show }: Shown<R, P, Answer>,
  {
    body,
    run,
    ...words
  }: Words<Request> & { body: Body; run: Run<Request, { id: number; changes: z.output<Body> }, R> },
): Operation<Request> {
  return {
    ...words,
    body,
    answer,
    async handle(request) {
      const given = {
        id: readPathId(request.event),
        changes: shapeChanges(body, await readJson(request.event)),
      };
      return request.context.store.transact(async (tx) => show(tx.view, await run(tx, request, given)));
    },
  };
}

/** An operation on the record whose id is in the path, without a body: it shows what it leaves, or what it removes. */
export function does<Request extends ListRequest, R, P, Answer extends z.ZodType>(
  { answer, show }: Shown<R, P, Answer>,
  { run, ...words }: Words<Request> & { run: Run<Request, number, R> },
): Operation<Request> {
  return {
    refusals: ["not_found"],
    ...words,
    answer,
    handle: (request) =>
      request.context.store.transact(async (tx) =>
        show(tx.view, await run(tx, request, readPathId(request.event))),
      ),
  };
}
