import type { Context } from "../domain/context.ts";
import type { AnswerHeaders } from "../http/answer.ts";
import type { Operation } from "../http/operation.ts";

/**
 * Handles a request. Operations whose figures may lag slightly read from a standby if there is one; the
 * answer says how old the data is. Without a fresh standby, they read from the primary.
 *
 * Any failure on a standby, including a refusal, is retried on the primary: no decision depends on old data.
 */
export async function handleAged<R extends { context: Context; headers: AnswerHeaders }>(
  { handle, mayBeAged }: Operation<R>,
  request: R,
): Promise<unknown> {
  const { aged } = request.context.store;
  if (!mayBeAged || aged === null) return handle(request);
  const found = await aged();
  if (found !== null) {
    try {
      const answer = await handle({ ...request, context: { ...request.context, store: found.store } });
      request.headers["x-data-age"] = String(found.ageSeconds);
      return answer;
    } catch {
      // The primary decides.
    }
  }
  request.headers["x-data-age"] = "0";
  return handle(request);
}
