import { Failure } from "../../../failure.ts";
import type { Store } from "../../../storage/store.ts";
import type { PayoutMethodName } from "../../payout-method/record.ts";
import { payouts } from "../../payout/payout.ts";
import type { PaymentsBatch } from "../record.ts";
import type { Payment } from "./payment.ts";

/** The most payments that the reader of a method's file takes in one. Absent: any number. */
const MOST_PAYMENTS: Partial<Record<PayoutMethodName, number>> = { paypal: 15_000, wise: 1_000 };

/** The promoters with whom the files of a batch begin, in the order of their ids. One is paid once, for all payouts. */
export function partStarts(method: PayoutMethodName, promoterIds: Iterable<number>): number[] {
  const ordered = [...new Set(promoterIds)].toSorted((left, right) => left - right);
  const size = MOST_PAYMENTS[method] ?? ordered.length;
  return ordered.filter((_, rank) => rank % size === 0);
}

/** The payments that one file makes, and the end of its name. */
export interface Part {
  payments: Payment[];
  suffix: string;
}

/**
 * Chooses the payments of one file of a batch. Choice: for a batch that needs several files, a part must be chosen, so
 * that nobody uploads the first and forgets the others.
 *
 * @throws Failure `refused` if no part is chosen of several, or nothing is left of it, `invalid` for a part that does
 * not exist
 */
export async function choosePart(
  store: Store,
  { batch, payments }: { batch: PaymentsBatch; payments: Payment[] },
  part: number | null,
): Promise<Part> {
  const starts = batch.partStarts ?? (await currentStarts(store, batch));
  const count = starts.length;
  if (part === null && count > 1) {
    const files = `A ${batch.method} file holds ${MOST_PAYMENTS[batch.method]} payments, so this batch needs ${count} files`;
    throw new Failure("refused", `${files}: choose a part from 1 to ${count}`);
  }
  const chosen = part ?? 1;
  if (chosen < 1 || chosen > count) {
    const fault = `is not from 1 to ${count}`;
    throw new Failure("invalid", `Validation failed: part ${fault}`, { part: [fault] });
  }
  // The files meet without a gap: the first one takes whoever comes before the others.
  const from = chosen === 1 ? 0 : (starts[chosen - 1] ?? 0);
  const before = starts[chosen] ?? Infinity;
  const inPart = payments.filter(({ promoterId }) => promoterId >= from && promoterId < before);
  if (inPart.length === 0) {
    throw new Failure("refused", `Part ${chosen} of the payments batch has nothing left to pay`);
  }
  return { payments: inPart, suffix: count > 1 ? `-${chosen}-of-${count}` : "" };
}

/** The parts of a batch that does not know them: it needs one file, or is of an earlier release. */
async function currentStarts(store: Store, { accountId, id, method }: PaymentsBatch): Promise<number[]> {
  const promoterIds = new Set<number>();
  for await (const chunk of store.scan(payouts, "batch", accountId, [id])) {
    for (const { promoterId } of chunk) promoterIds.add(promoterId);
  }
  return partStarts(method, promoterIds);
}
