import type { Context } from "../domain/context.ts";
import type { AnswerHeaders } from "../http/answer.ts";
import type { Operation } from "../http/operation.ts";
import { promoters } from "../domain/people/promoter/promoter.ts";
import { checkVatNumber, dueVatNumber } from "../domain/people/vat-number.ts";
import { isOutage } from "../failure.ts";
import type { Services } from "./services.ts";

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

/** Logs an answer that fails after its status was sent, because the client can't see the reason. */
export async function* logFailures<T>({ log }: Services, parts: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* parts;
  } catch (error) {
    log.error({ err: error }, "an answer failed half way");
    throw error;
  }
}

/** Asks VIES about a promoter's VAT number after the answer, if it is a new one. */
export type VatInquiry = (promoter: { id: number }) => void;

/** Makes the inquiries of an account. An hourly job asks what is over the limit, so that no client makes the server flood VIES. */
export function vatInquiry(services: Services, accountId: number): VatInquiry {
  const { store, clock, vies, afterwards, limits, logOutage } = services;
  async function ask(id: number, run: Parameters<typeof checkVatNumber>[0]): Promise<void> {
    const promoter = await store.get(promoters, accountId, id);
    if (promoter === null || dueVatNumber(promoter, clock()) === null) return;
    const state = await limits.outsideChecks.take(`vat ${accountId}`);
    if (state?.allowed !== false) await checkVatNumber(run, accountId, id);
  }
  return ({ id }) => {
    if (vies === null) return;
    afterwards.run(() =>
      ask(id, { store, clock, vies }).catch((error: unknown) => {
        if (!isOutage(error)) throw error;
        logOutage(error);
      }),
    );
  };
}
