import { setImmediate as othersTurn } from "node:timers/promises";
import { loadBalance } from "../../domain/ledger/commission/balance.ts";
import { commissions } from "../../domain/ledger/commission/commission.ts";
import type { Account } from "../../domain/program/account/account.ts";
import { formatAmount, UNITS } from "../../domain/money.ts";
import type { Schema } from "../../storage/query.ts";
import type { Store } from "../../storage/store.ts";

/** The sums that are stored in several places. */
interface StoredSums {
  /** Sentences about sums of a promoter that differ from the records. */
  faultsOf(promoterId: number): Promise<string[]>;
}

/**
 * Adds up the records of all commissions, to compare the sums with the columns and with the balances that are stored
 * beside them: what people see must be what the records say.
 */
export async function loadSums(store: Store, account: Account): Promise<StoredSums> {
  const [inRecords, inColumns] = [new Map<string, number>(), new Map<string, number>()];
  for await (const chunk of store.scan(commissions, "id", account.id, [])) {
    for (const { promoter_id, unit, amount, status } of chunk) {
      const key = `${promoter_id} ${unit}`;
      if (status === "approved") inRecords.set(key, (inRecords.get(key) ?? 0) + amount);
    }
    await othersTurn();
  }
  const query = store
    .query<Schema<{ commissions: typeof commissions }>>()
    .selectFrom("commissions")
    .where("account_id", "=", account.id)
    .where("status", "=", "approved")
    .groupBy(["promoter_id", "unit"])
    .select(["promoter_id", "unit", ({ fn }) => fn.sum("amount").as("amount")]);
  for (const { promoter_id: promoterId, unit, amount } of await store.rows(query))
    inColumns.set(`${promoterId} ${unit}`, Number(amount));
  return {
    async faultsOf(promoterId) {
      const { units } = await loadBalance(store, account.id, promoterId);
      return UNITS.flatMap((unit) => {
        const key = `${promoterId} ${unit}`;
        const records = inRecords.get(key) ?? 0;
        const beside = new Set([inColumns.get(key) ?? 0]);
        if (unit === "cash") beside.add(units.cash?.earnings ?? 0);
        return [...beside]
          .filter((sum) => sum !== records)
          .map((sum) => {
            const [one, other] = [records, sum].map((each) => formatAmount(each, unit, account.currency));
            return `${one} earned in the records here, and ${other} in the sums beside them: see \`tidemark check\``;
          });
      });
    },
  };
}
