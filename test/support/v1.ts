import type { z } from "zod";
import { expect } from "vitest";
import { KEY, answerOf, type Answer, type TestApp } from "./app.ts";

/** Sends a V1 request with its parameters in the query string. */
export async function send(
  app: TestApp,
  call: string,
  params: Record<string, string> = {},
  init: RequestInit = {},
): Promise<Answer> {
  const [method = "GET", path = ""] = call.split(" ");
  const query = new URLSearchParams(params).toString();
  const address = query === "" ? `/api/v1${path}` : `/api/v1${path}?${query}`;
  return answerOf(
    await app.request(address, { method, ...init, headers: { "x-api-key": KEY, ...init.headers } }),
  );
}

/** The body of a success. It must match the operation's schema exactly. */
export function bodyOf({ status, body }: Answer, { answer }: { answer: z.ZodType }): unknown {
  expect({ status, body }).toEqual({ status: 200, body: answer.parse(body) });
  return body;
}
