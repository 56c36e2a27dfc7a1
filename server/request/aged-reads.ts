import type { Context } from "../domain/context.ts";
import type { AnswerHeaders } from "../http/answer.ts";
import type { Operation } from "../http/operation.ts";

/**
 * Handles a request. Operations whose figures may be a moment old read from a standby if the operator has one; the
 * answer says how old the data is. Without a standby that is fresh enough, they read from the primary.
 *
 * Whatever goes wrong on a standby is done again on the primary, refusals included: nothing is decided on old data.
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
