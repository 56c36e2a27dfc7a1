import { Failure } from "../../../failure.ts";
import type { Transaction, View } from "../../../storage/store.ts";
import { isSameJson } from "../../../storage/digests.ts";
import { integer, table, text, time, type RowOf } from "../../../storage/table.ts";
import { SYSTEM, type Context } from "../../context.ts";
import { accounts } from "../../program/account/account.ts";
import type { Lead } from "./lead.ts";

const customStatusFields = {
  id: integer(),
  name: text(),
  description: text().nullable(),
  /** Lower ones come first. */
  order: integer(),
  created_at: time(),
  updated_at: time(),
};

/** A state of leads that a company has named itself, such as "Offer sent". It decides nothing. */
export type CustomStatus = RowOf<typeof customStatusFields>;

export const customStatuses = table("custom-status", customStatusFields, {
  derived: {
    folded_name: ["text", ({ name }) => name.toLowerCase()],
    position: ["integer", byOrder],
  },
  unique: { name: ["folded_name"] },
  indexes: { position: { on: ["position"] } },
});

/** Finds the leads that have a custom status. Written with the lead, which has the status itself. */
const statusOfLeadFields = {
  lead_id: integer(),
  custom_status_id: integer(),
};

export const statusesOfLeads = table("lead-custom-status", statusOfLeadFields, {
  key: ["lead_id"],
  indexes: { status: { on: ["custom_status_id"] } },
});

function byOrder({ order }: CustomStatus): number {
  return order;
}

/** The maximum of statuses in an account. */
const MOST = 100;

/** An account's statuses, in their order. */
export function listCustomStatuses(view: View, accountId: number): Promise<CustomStatus[]> {
  return view.page(customStatuses, "position", accountId, [], { limit: MOST });
}

/** A status to be made, changed or removed. */
interface CustomStatusChange {
  /** Undefined for a new one. */
  id?: number | undefined;
  name: string;
  /** Undefined: unchanged, or none. */
  description?: string | null | undefined;
  order: number;
  /** Whether to remove it. */
  _destroy?: boolean | undefined;
}

/**
 * Changes the given statuses only. Leads with a removed one have none.
 *
 * @throws Failure `not_found` for an unknown status, `taken` for a name that is used twice, `invalid` if there are too many
 */
export async function changeCustomStatuses(
  tx: Transaction,
  { now }: Pick<Context, "now">,
  accountId: number,
  changes: CustomStatusChange[],
): Promise<CustomStatus[]> {
  // Others of the account wait, so that none of theirs counts as left out, and the limit holds.
  await tx.lock(accounts, SYSTEM, accountId);
  const updatedAt = now.toISOString();
  const before = new Map((await listCustomStatuses(tx.view, accountId)).map((each) => [each.id, each]));
  const known = new Map(before);
  for (const { id: knownId, name, order, ...change } of changes) {
    const id = knownId ?? (await tx.nextId("custom-status"));
    const former = known.get(id);
    if (former === undefined && knownId !== undefined)
      throw new Failure("not_found", "Custom referral status not found.");
    if (change._destroy) {
      known.delete(id);
      continue;
    }
    const { description = former?.description ?? null } = change;
    known.set(id, {
      account_id: accountId,
      id,
      name,
      description,
      order,
      created_at: former?.created_at ?? updatedAt,
      updated_at: updatedAt,
    });
  }
  const after = [...known.values()];
  refuseUnfit(after);
  await replaceAll(tx, before, after);
  return after.toSorted((a, b) => a.order - b.order || a.id - b.id);
}

/** Two statuses may exchange their names, so all that change are removed first. */
async function replaceAll(
  tx: Transaction,
  before: ReadonlyMap<number, CustomStatus>,
  after: CustomStatus[],
): Promise<void> {
  const changed = after.filter((each) => !isSameJson(before.get(each.id), each));
  const gone = [...before.values()].filter(({ id }) => !after.some((each) => each.id === id));
  const renamed = changed.filter(({ id, name }) => before.has(id) && before.get(id)!.name !== name);
  for (const { account_id, id } of [...gone, ...renamed]) await tx.remove(customStatuses, account_id, id);
  for (const status of changed) await tx.put(customStatuses, status, { name: nameTaken });
}

function refuseUnfit(after: CustomStatus[]): void {
  if (after.length > MOST) {
    const fault = `is too long (maximum is ${MOST} statuses)`;
    throw new Failure("invalid", `Validation failed: ${fault}`, { custom_referral_statuses: [fault] });
  }
  const names = new Set(after.map(({ name }) => name.toLowerCase()));
  if (names.size < after.length) throw nameTaken();
}

function nameTaken(): Failure {
  return new Failure("taken", "Validation failed: name has already been taken", {
    name: ["has already been taken"],
  });
}

/** @throws Failure `invalid` for a status that the account does not have */
export async function requireCustomStatus(tx: Transaction, accountId: number, id: number): Promise<void> {
  if ((await tx.get(customStatuses, accountId, id)) !== null) return;
  throw new Failure("invalid", `Validation failed: custom_status_id names no status: ${id}`, {
    custom_status_id: [`names no status: ${id}`],
  });
}

/** Keeps the list of leads by status in step with a changed lead. */
export async function noteCustomStatus(tx: Transaction, before: Lead, after: Lead): Promise<void> {
  const { account_id, id: leadId, custom_status_id } = after;
  if (before.custom_status_id === custom_status_id) return;
  if (custom_status_id === null) await tx.remove(statusesOfLeads, account_id, leadId);
  else await tx.put(statusesOfLeads, { account_id, lead_id: leadId, custom_status_id });
}
