import { expect } from "vitest";
import { V1_OPERATIONS } from "../../server/v1/operations.ts";
import { V2_OPERATIONS } from "../../server/v2/operations.ts";
import { answerOf, form, KEY, type Answer, type TestApp } from "./app.ts";

/** Parameters of a V1 call. */
export type Params = Record<string, string>;

/**
 * Calls V1 with a form, or with a query if the method has no body. A success must match the operation's
 * schema.
 */
export async function v1(
  app: TestApp,
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  params: Params = {},
): Promise<Answer> {
  const headers = { "x-api-key": KEY };
  const query = new URLSearchParams(params).toString();
  const isQuery = method === "GET" || method === "DELETE";
  const response = isQuery
    ? await app.request(`/api/v1${path}${query && `?${query}`}`, { method, headers })
    : await app.request(`/api/v1${path}`, { ...form(params, headers), method });
  return declared(await answerOf(response), { method, path: `/api/v1${path}` });
}

/** Calls V2 with a JSON body. A success must match the operation's schema. */
export async function v2(
  app: TestApp,
  method: "GET" | "POST" | "PUT" | "PATCH",
  path: string,
  body?: unknown,
): Promise<Answer> {
  const response = await app.request(`/api/v2/company${path}`, {
    method,
    headers: {
      authorization: `Bearer ${KEY}`,
      "account-id": "acme",
      "content-type": "application/json",
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return declared(await answerOf(response), { method, path: `/api/v2/company${path}` });
}

/**
 * A schema drops fields that it does not list. So an answer that equals its parsed self has no other fields.
 */
function declared(answer: Answer, { method, path }: { method: string; path: string }): Answer {
  if (answer.status >= 300) return answer;
  const plain = path.split("?")[0] ?? "";
  const operations = [...V1_OPERATIONS, ...V2_OPERATIONS].filter(([name]) => name === method);
  const exact = operations.find(([, route]) => route === plain);
  const byPattern = operations.find(([, route]) =>
    new RegExp(`^${route.replaceAll(/:\w+/g, "[^/]+")}$`).test(plain),
  );
  const [, , operation] = exact ?? byPattern ?? [];
  expect(operation, `${method} ${path}`).toBeDefined();
  const isAccepted = answer.status === 202 && operation?.acceptedAnswer !== undefined;
  const declaredAnswer = isAccepted ? operation?.acceptedAnswer : operation?.answer;
  expect(declaredAnswer?.parse(answer.body)).toEqual(answer.body);
  if (!isAccepted) expect(answer.status).toBe(operation?.status ?? 200);
  return answer;
}
