import { isFrozen } from "../../storage/freeze.ts";
import type { Store } from "../../storage/store.ts";
import { accounts } from "./account.ts";
import { SYSTEM, type Account } from "./record.ts";

/** The accounts that jobs work for, oldest first: all but those that take no changes because they are being moved. */
export async function* servedAccounts(store: Store): AsyncGenerator<Account> {
  for await (const chunk of store.scan(accounts, "id", SYSTEM, [])) {
    for (const account of chunk) if (!(await isFrozen(store, account.id))) yield account;
  }
}
