import type { Command } from "commander";
import { print, withStore } from "./store.ts";
import { commissionBase, loadAccount } from "../domain/account/account.ts";
import { changeCommissionBase } from "../domain/account/settings.ts";
import { WHOLE } from "../domain/money/money.ts";
import { tenThousandths } from "../input/fields.ts";

interface BaseOptions {
  lessTax?: boolean;
  lessShipping?: boolean;
  fee?: number;
}

/** Adds the command on what an account's sales count of a payment. */
export function accountBaseCommand(account: Command): void {
  account
    .command("commission-base <account-id>")
    .description("show or change which part of a payment by Stripe or Paddle commissions are computed on")
    .option("--less-tax", "leave out tax (usual)")
    .option("--no-less-tax", "count tax")
    .option("--less-shipping", "leave out shipping")
    .option("--no-less-shipping", "count shipping (usual)")
    .option("--fee <percentage>", "leave out a percentage of the rest for fees, such as 2.9", feeOf)
    .action(change);
}

function change(accountId: string, { lessTax, lessShipping, fee }: BaseOptions): Promise<void> {
  return withStore(async (context) => {
    const { id, publicId } = await loadAccount(context.store, accountId);
    const changes = { isLessTax: lessTax, isLessShipping: lessShipping, feeTenThousandths: fee };
    const { isLessTax, isLessShipping, feeTenThousandths } = commissionBase(
      await changeCommissionBase(context, id, changes),
    );
    print({
      account_id: publicId,
      less_tax: isLessTax,
      less_shipping: isLessShipping,
      fee_percentage: feeTenThousandths / 10_000,
    });
  });
}

function feeOf(value: string): number {
  const fee = tenThousandths.safeParse(value);
  if (fee.success && fee.data < WHOLE) return fee.data;
  throw new Error(`${value} is not a percentage from 0 to less than 100 with at most four decimals`);
}
