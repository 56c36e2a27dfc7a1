import type { Command } from "commander";
import { print, withStore } from "./store.ts";
import { wholeNumber } from "./whole-number.ts";
import { loadAccount } from "../domain/account/account.ts";
import { MOST_PAYOUT_SETTINGS } from "../domain/account/settings.ts";
import type { Promoter } from "../domain/promoter/promoter.ts";
import { loadSelected, type Selection } from "../domain/promoter/search.ts";
import { updatePromoter } from "../domain/promoter/changes.ts";
import { asItIs } from "../domain/show.ts";
import { taxRate } from "../input/tax-rate.ts";

/** The word for a promoter without days of their own. The parser of options takes null for a missing value. */
const OF_ACCOUNT = "account";

interface Terms {
  /** In hundredths of a percent. */
  taxRate?: number;
  netDays?: number | typeof OF_ACCOUNT;
}

/** Adds the command that decides how much tax a promoter's payouts have, and when they are due. */
export function termsCommand(promoter: Command): void {
  promoter
    .command("terms <account-id> <email-or-id>")
    .description("show or change the terms of a promoter's next payouts; options left out stay unchanged")
    .option("--tax-rate <percent>", "added to each payout of money, such as 7.75", percentage)
    .option(
      "--net-days <days>",
      `days from the period's end to the due date; "${OF_ACCOUNT}": the account's`,
      days,
    )
    .action(terms);
}

function terms(accountId: string, who: string, given: Terms): Promise<void> {
  return withStore(async (context) => {
    const { id } = await loadAccount(context.store, accountId);
    const selection: Selection = { by: who.includes("@") ? "email" : "id", value: who };
    const { taxRate: taxRateHundredths, netDays } = given;
    const changes = { taxRateHundredths, netPayoutDays: netDays === OF_ACCOUNT ? null : netDays };
    const isChange = taxRateHundredths !== undefined || netDays !== undefined;
    const promoter = isChange
      ? await updatePromoter(context, id, { selection, changes, show: asItIs })
      : (await loadSelected(context.store, id, selection)).promoter;
    print(row(promoter));
  });
}

function row({ id, email, taxRateHundredths, netPayoutDays }: Promoter) {
  return { id, email, tax_rate: taxRateHundredths / 100, net_days: netPayoutDays ?? OF_ACCOUNT };
}

function percentage(value: string): number {
  const { data, error } = taxRate.safeParse(value);
  if (error) throw new Error(`--tax-rate ${error.issues[0]?.message}`);
  return data;
}

function days(value: string): number | typeof OF_ACCOUNT {
  if (value === OF_ACCOUNT) return OF_ACCOUNT;
  return wholeNumber("--net-days", [0, MOST_PAYOUT_SETTINGS.netPayoutDays])(value);
}
