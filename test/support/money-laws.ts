import { commissions } from "../../server/domain/commission/commission.ts";
import type { Commission } from "../../server/domain/commission/record.ts";
import { loadBalance } from "../../server/domain/commission/balance.ts";
import { payouts } from "../../server/domain/payout/payout.ts";
import type { Payout } from "../../server/domain/payout/record.ts";
import { promoters } from "../../server/domain/promoter/promoter.ts";
import type { Promoter } from "../../server/domain/promoter/record.ts";
import { refunds, sales } from "../../server/domain/sale/sales.ts";
import type { Refund, Sale } from "../../server/domain/sale/record.ts";
import type { Store } from "../../server/storage/store.ts";

/** All that an account has of money. */
export interface Ledger {
  promoters: Promoter[];
  sales: Sale[];
  refunds: Refund[];
  commissions: Commission[];
  payouts: Payout[];
}

const EVERYTHING = { limit: 100_000 };

/** Reads the records from which all sums must follow. */
export async function readLedger(store: Store, accountId: number): Promise<Ledger> {
  return {
    promoters: await store.page(promoters, "id", accountId, [], EVERYTHING),
    sales: await store.page(sales, "id", accountId, [], EVERYTHING),
    refunds: await store.page(refunds, "id", accountId, [], EVERYTHING),
    commissions: await store.page(commissions, "id", accountId, [], EVERYTHING),
    payouts: await store.page(payouts, "id", accountId, [], EVERYTHING),
  };
}

/** Every breach of the laws of money, in sentences. @see docs/spec/money.md "Laws" */
export async function breaches(store: Store, accountId: number): Promise<string[]> {
  const ledger = await readLedger(store, accountId);
  return [
    ...(await lastingBreaches(store, accountId)),
    ...ledger.sales.flatMap((sale) => tierBreaches(sale, ledger)),
  ];
}

/** The breaches of those laws that hold although commissions are deleted by hand. */
export async function lastingBreaches(store: Store, accountId: number): Promise<string[]> {
  const ledger = await readLedger(store, accountId);
  return [
    ...payoutBreaches(ledger),
    ...(await balanceBreaches(store, ledger)),
    ...ledger.sales.flatMap((sale) => refundBreaches(sale, ledger)),
  ];
}

/** Each payout is the sum of its commissions. Only approved ones are in a payout. */
function payoutBreaches({ commissions: earned, payouts: made }: Ledger): string[] {
  const known = new Map(made.map((payout) => [payout.id, payout]));
  const strays = earned.filter(
    ({ payoutId, status }) => payoutId !== null && (status !== "approved" || !known.has(payoutId)),
  );
  return [
    ...strays.map(({ id, status, payoutId }) => `commission ${id} is ${status} in payout ${payoutId}`),
    ...made.flatMap((payout) => {
      const own = earned.filter(({ payoutId }) => payoutId === payout.id);
      if (payout.status === "cancelled") {
        return own.map(({ id }) => `cancelled payout ${payout.id} holds commission ${id}`);
      }
      const sum = sumOf(own);
      const foreign = own.filter(
        ({ promoterId, unit }) => promoterId !== payout.promoterId || unit !== payout.unit,
      );
      return [
        ...(sum === payout.amount ? [] : [`payout ${payout.id} is ${payout.amount}, its commissions ${sum}`]),
        ...foreign.map(({ id }) => `payout ${payout.id} holds commission ${id} of another promoter or unit`),
      ];
    }),
  ];
}

/** Balances are the sums of the records. */
async function balanceBreaches(store: Store, ledger: Ledger): Promise<string[]> {
  const found: string[] = [];
  for (const { accountId, id } of ledger.promoters) {
    const { units } = await loadBalance(store, accountId, id);
    const own = ledger.commissions.filter(
      ({ promoterId, status }) => promoterId === id && status === "approved",
    );
    const paid = ledger.payouts.filter(
      ({ promoterId, status }) => promoterId === id && status === "completed",
    );
    for (const unit of ["cash", "points"] as const) {
      const { earnings = 0, paid: paidSum = 0 } = units[unit] ?? {};
      const expected = [
        sumOf(own.filter((each) => each.unit === unit)),
        sumOf(paid.filter((each) => each.unit === unit)) +
          sumOf(own.filter((each) => each.unit === unit && each.isPaidElsewhere)),
      ];
      if (earnings !== expected[0] || paidSum !== expected[1]) {
        found.push(
          `promoter ${id} has ${earnings} and ${paidSum} ${unit}, the records ${expected.join(" and ")}`,
        );
      }
    }
  }
  return found;
}

/** Refunds take back at most what the sale gave, and all of it when the sale is refunded whole. */
function refundBreaches(sale: Sale, { commissions: earned, refunds: made }: Ledger): string[] {
  const own = made.filter(({ saleId }) => saleId === sale.id);
  const refunded = own.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const found: string[] = [];
  if (refunded !== sale.refundedCents || refunded > sale.amountCents) {
    found.push(
      `sale ${sale.id} of ${sale.amountCents} was refunded ${refunded}, and says ${sale.refundedCents}`,
    );
  }
  for (const commission of earned.filter(
    ({ saleId, takesBackId }) => saleId === sale.id && takesBackId === null,
  )) {
    const takeBacks = earned.filter(({ takesBackId }) => takesBackId === commission.id);
    const left = commission.amount + sumOf(takeBacks);
    if (left < 0 || (refunded === sale.amountCents && left !== 0)) {
      found.push(`commission ${commission.id} of ${commission.amount} has ${left} left`);
    }
    const others = takeBacks.filter(({ status }) => status !== commission.status);
    found.push(...others.map(({ id }) => `commission ${id} does not follow commission ${commission.id}`));
  }
  return found;
}

/** Nobody is paid twice for a sale on a level, and the parts of a split add up to the whole. */
function tierBreaches(sale: Sale, { commissions: earned }: Ledger): string[] {
  const own = earned.filter(
    ({ saleId, takesBackId, createdAt }) =>
      saleId === sale.id && takesBackId === null && createdAt === sale.createdAt,
  );
  const found: string[] = [];
  for (const level of new Set(own.map(({ tierLevel }) => tierLevel))) {
    for (const unit of ["cash", "points"] as const) {
      const paid = own.filter((each) => each.tierLevel === level && each.unit === unit);
      const [first] = paid;
      if (first === undefined) continue;
      const isSplit = first.splitTenThousandths !== null;
      if (!isSplit && paid.length > 1) found.push(`sale ${sale.id} pays level ${level} twice in ${unit}`);
      const { base = 0, amountTenThousandths = 0, isFlat = true } = first.terms ?? {};
      const whole = isFlat
        ? amountTenThousandths / 10_000
        : Math.round((base * amountTenThousandths) / 1_000_000);
      if (Math.abs(sumOf(paid) - whole) > 0) {
        found.push(`sale ${sale.id} pays level ${level} ${sumOf(paid)} ${unit} instead of ${whole}`);
      }
    }
  }
  return found;
}

function sumOf(amounts: { amount: number }[]): number {
  return amounts.reduce((sum, { amount }) => sum + amount, 0);
}
