import { Failure, type FieldErrors } from "../../../failure.ts";
import { compactNumber, isBic, isIban, isRoutingNumber } from "../../bank-numbers.ts";
import { type Context, SYSTEM } from "../../context.ts";
import { accounts, changeAccount, type Account, type BankAccount } from "./account.ts";

const NOT_SET: BankAccount = {
  name: null,
  iban: null,
  bic: null,
  street: null,
  postalCode: null,
  city: null,
  country: null,
  routingNumber: null,
  bankName: null,
  companyId: null,
};

/** The bank account of a company, as far as it is set. */
export function bankAccountOf({ bankAccount }: Pick<Account, "bankAccount">): BankAccount {
  return { ...NOT_SET, ...bankAccount };
}

/** Changes to a bank account. Undefined fields stay unchanged. */
export type BankAccountChanges = { [K in keyof BankAccount]?: BankAccount[K] | undefined };

/**
 * Changes the bank account from which files pay. Files that were made stay as they are.
 *
 * @throws Failure `not_found`, `invalid` for a number with wrong check digits
 */
export function changeBankAccount(
  { store }: Pick<Context, "store">,
  accountId: number,
  changes: BankAccountChanges,
): Promise<Account> {
  return store.transact(async (tx) => {
    const before = await tx.get(accounts, SYSTEM, accountId);
    if (before === null) throw new Failure("not_found", "Account not found.");
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    const bankAccount: BankAccount = { ...bankAccountOf(before), ...Object.fromEntries(given) };
    const faults = faultsOf(bankAccount);
    const words = Object.entries(faults).map(([name, fault]) => `${name} ${fault.join()}`);
    if (words.length > 0) throw new Failure("invalid", `Validation failed: ${words.join(", ")}`, faults);
    return changeAccount(tx, accountId, { bankAccount: compacted(bankAccount) });
  });
}

function faultsOf({ iban, bic, country, routingNumber, companyId }: BankAccount): FieldErrors {
  const faults: FieldErrors = {};
  if (iban !== null && !isIban(iban)) faults["iban"] = ["is not a valid IBAN"];
  if (bic !== null && !isBic(bic)) faults["bic"] = ["is not a valid BIC"];
  if (country !== null && !/^[A-Z]{2}$/i.test(country))
    faults["country"] = ["must be the two letters of a country"];
  if (routingNumber !== null && !isRoutingNumber(routingNumber))
    faults["routing_number"] = ["is not a valid routing number"];
  if (companyId !== null && !/^[A-Z0-9]{9,10}$/.test(compactNumber(companyId)))
    faults["company_id"] = ["must have 9 or 10 letters and digits"];
  return faults;
}

function compacted(bank: BankAccount): BankAccount {
  const compact = (value: string | null) => value && compactNumber(value);
  return {
    ...bank,
    iban: compact(bank.iban),
    bic: compact(bank.bic),
    country: compact(bank.country),
    routingNumber: compact(bank.routingNumber),
    companyId: compact(bank.companyId),
  };
}
