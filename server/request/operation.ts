import { promoters } from "../domain/people/promoter/promoter.ts";
import { checkVatNumber, dueVatNumber } from "../domain/people/vat-number.ts";
import { isOutage } from "../failure.ts";
import type { Services } from "./services.ts";

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
