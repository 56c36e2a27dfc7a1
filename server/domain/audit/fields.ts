import type { AuditedFields } from "./record.ts";

/** Stands for a value that must not be kept a second time. It shows that the value changed. */
export const HIDDEN = "hidden";

/** They name the record itself. */
const IDENTIFYING = new Set(["accountId", "id"]);
/** They change along with others, or with every sign-in. */
const BOOKKEEPING = new Set(["updatedAt", "customerHistory", "lastSignInAt", "lastLoginAt", "signInCount"]);
/** Secrets, hashes, and the details of bank accounts. It goes by words, so that a new field can't be forgotten. */
const SECRET = /hash|secret|token|password|key|details|meta|headers|factor/i;
/** Names that only sound like secrets. */
const PUBLIC = new Set([
  "requiresSecondFactor",
  "refToken",
  "tokenParam",
  "invoiceDetailsStatus",
  "requiresInvoiceDetails",
  "upgradeDetails",
]);

/** The fields of a record that a change concerned. null: none worth keeping. */
export function fieldChanges(
  before: object | null,
  after: object | null,
): { before: AuditedFields | null; after: AuditedFields | null } | null {
  if (before === null || after === null) return { before: shown(before), after: shown(after) };
  const old = new Map(Object.entries(before));
  const changed = Object.entries({ ...before, ...after })
    .map(([name]) => name)
    .filter((name) => !isSame(old.get(name), valueIn(after, name)));
  if (changed.every((name) => BOOKKEEPING.has(name) || joinsPayout(name, old))) return null;
  return { before: shown(before, changed), after: shown(after, changed) };
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Choice: a commission that joins a payout leaves no entry. The payout has one, the commission names its payout from
 * then on, and a run would add thousands of entries. A commission that leaves a payout leaves an entry.
 */
function joinsPayout(name: string, old: ReadonlyMap<string, unknown>): boolean {
  return name === "payoutId" && old.get(name) === null;
}

function shown(record: null | object, only?: string[]): AuditedFields | null {
  if (record === null) return null;
  const names = only ?? Object.keys(record);
  const fields = names.filter((name) => !IDENTIFYING.has(name) && !BOOKKEEPING.has(name));
  return Object.fromEntries(fields.map((name) => [name, kept(name, valueIn(record, name))]));
}

function kept(name: string, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  return SECRET.test(name) && !PUBLIC.has(name) ? HIDDEN : value;
}

function valueIn(record: object, name: string): unknown {
  return (record as Record<string, unknown>)[name];
}
