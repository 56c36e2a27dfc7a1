import { Failure, type FieldErrors } from "../../failure.ts";
import { SYSTEM, type Account, type TrackerNames } from "./record.ts";
import type { Store } from "../../storage/store.ts";
import { accounts, changeAccount } from "./account.ts";
import type { Context } from "../context.ts";

const USUAL: TrackerNames = {
  global: "svc",
  dataGlobal: null,
  cookie: "_svc",
  script: null,
  readsFragment: false,
};
const VARIABLE = /^[a-z_$][\w$]{0,99}$/i;
/** File names that the server itself uses. */
const TAKEN_FILES = new Set(["svc.js", "svc-more.js", "docs.js", "demo.js"]);

/** The names by which an account's pages use the browser script. */
export function trackerNames({ tracker }: Account): TrackerNames {
  return { ...USUAL, ...tracker };
}

/**
 * Changes the names by which an account's pages use the browser script, for example to those of another program, so
 * that its snippets and its visitors' cookies keep working. undefined: unchanged.
 *
 * @throws Failure `not_found`, `invalid`, or `taken` if the file belongs to another account
 */
export async function nameTracker(
  { store }: Context,
  account: Account,
  changes: TrackerChanges,
): Promise<Account> {
  const tracker = checkedTracker(account, changes);
  return store.transact((tx) => changeAccount(tx, account.id, { tracker }));
}

/** Changes to the names. undefined: unchanged. */
export type TrackerChanges = { [K in keyof TrackerNames]?: TrackerNames[K] | undefined };

/** All names with the changes. @throws Failure `invalid` */
export function checkedTracker(account: Account, changes: TrackerChanges): TrackerNames {
  const before = trackerNames(account);
  const tracker: TrackerNames = {
    global: changes.global ?? before.global,
    dataGlobal: changes.dataGlobal === undefined ? before.dataGlobal : changes.dataGlobal,
    cookie: changes.cookie ?? before.cookie,
    script: changes.script === undefined ? before.script : changes.script,
    readsFragment: changes.readsFragment ?? before.readsFragment,
  };
  const fields = faultsOf(tracker);
  const [fault] = Object.entries(fields);
  if (fault) throw new Failure("invalid", fault.flat().join(" "), fields);
  return tracker;
}

/** The account whose script has this file name, or null. */
export function findAccountByScript(store: Store, file: string): Promise<Account | null> {
  return store.find(accounts, "script", SYSTEM, [file]);
}

function faultsOf({ global, dataGlobal, cookie, script }: TrackerNames): FieldErrors {
  const fields: FieldErrors = {};
  if (!VARIABLE.test(global)) fields["global"] = ["is not a valid variable name"];
  if (dataGlobal !== null && !VARIABLE.test(dataGlobal))
    fields["data-global"] = ["is not a valid variable name"];
  if (!/^[\w-]{1,100}$/.test(cookie)) fields["cookie"] = ["may have letters, digits, dashes and underscores"];
  if (script === null) return fields;
  if (!/^[\w-]{1,100}\.js$/.test(script) || TAKEN_FILES.has(script))
    fields["script"] = ["is not a free file name"];
  return fields;
}
