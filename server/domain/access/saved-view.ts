import { Failure } from "../../failure.ts";
import type { Reader, Transaction, View } from "../../storage/store.ts";
import { integer, json, table, text, time, type RowOf } from "../../storage/table.ts";
import { SYSTEM, type Context } from "../context.ts";
import { accounts } from "../program/account/account.ts";

/** The lists of the dashboard whose filters can be saved. */
export const SAVED_LISTS = [
  "audit_log",
  "commissions",
  "invoices",
  "leads",
  "payouts",
  "promoters",
  "signatures",
] as const;

export type SavedList = (typeof SAVED_LISTS)[number];

const fields = {
  id: integer(),
  list: text<SavedList>(),
  name: text(),
  /** The list's filters and its order, as its page names them. */
  filters: json<Record<string, string>>(),
  created_at: time(),
  updated_at: time(),
};

/** Filters of a list that the team has given a name. */
export type SavedView = RowOf<typeof fields>;

export const savedViews = table("saved-view", fields, {
  derived: {
    folded_name: ["text", ({ name }) => name.toLowerCase()],
  },
  unique: { name: ["list", "folded_name"] },
  indexes: { list: { on: ["list", "folded_name"] } },
});

/** The maximum of saved views in an account. */
const MOST = 500;

/** The team's views of a list, or of all lists, by name. */
export async function listSavedViews(
  view: View,
  accountId: number,
  list: SavedList | undefined,
): Promise<SavedView[]> {
  const start = list === undefined ? [] : [list];
  return view.page(savedViews, "list", accountId, start, { limit: MOST });
}

/**
 * Saves a view for the team.
 *
 * @throws Failure `taken` if the list has a view of this name, `refused` if there are too many
 */
export async function createSavedView(
  tx: Transaction,
  { now }: Pick<Context, "now">,
  accountId: number,
  { filters, ...named }: Pick<SavedView, "list" | "name" | "filters">,
): Promise<SavedView> {
  // Others of the account wait, so that the limit holds.
  await tx.lock(accounts, SYSTEM, accountId);
  if ((await listSavedViews(tx.view, accountId, undefined)).length >= MOST)
    throw new Failure("refused", `There may be at most ${MOST} saved views`);
  const at = now.toISOString();
  const saved: SavedView = {
    account_id: accountId,
    id: await tx.nextId("saved-view"),
    ...named,
    filters: lasting(filters),
    created_at: at,
    updated_at: at,
  };
  await tx.insert(savedViews, saved, { name: nameTaken });
  return saved;
}

/** Renames a view, or changes its filters. @throws Failure `not_found`, `taken` */
export async function updateSavedView(
  tx: Transaction,
  { now }: Pick<Context, "now">,
  accountId: number,
  { id, changes }: { id: number; changes: { [Name in "name" | "filters"]?: SavedView[Name] | undefined } },
): Promise<SavedView> {
  const before = await loadSavedView(tx, accountId, id);
  const { name = before.name, filters = before.filters } = changes;
  const after = { ...before, name, filters: lasting(filters), updated_at: now.toISOString() };
  await tx.put(savedViews, after, { name: nameTaken });
  return after;
}

/** Deletes a view. @throws Failure `not_found` */
export async function deleteSavedView(tx: Transaction, accountId: number, id: number): Promise<SavedView> {
  const saved = await loadSavedView(tx, accountId, id);
  await tx.remove(savedViews, accountId, id);
  return saved;
}

async function loadSavedView(reader: Reader, accountId: number, id: number): Promise<SavedView> {
  const saved = await reader.get(savedViews, accountId, id);
  if (saved === null) throw new Failure("not_found", "Saved view not found.");
  return saved;
}

/** Search texts often name people, and an erasure could not find them here. */
const DROPPED = new Set(["q", "page"]);

function lasting(filters: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).filter(([name]) => !DROPPED.has(name)));
}

function nameTaken(): Failure {
  return new Failure("taken", "Validation failed: name has already been taken", {
    name: ["has already been taken"],
  });
}
