import type { Account } from "../../domain/program/account/account.ts";
import type { Context } from "../../domain/context.ts";
import type { Imported } from "../../domain/people/lead/creation.ts";
import { isRefToken } from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { Failure, isOutage } from "../../failure.ts";
import { text } from "../../input/fields.ts";
import { namesIn } from "../../input/mailbox.ts";
import { describe } from "../../input/shape.ts";
import type { Columns, Fields } from "./columns.ts";
import type { Row } from "./plan.ts";
import type { Store } from "../../storage/store.ts";

/** The number of lines by result. */
export type Outcome = Record<Imported | "bad", number>;

export const NO_LINES: Outcome = { added: 0, changed: 0, known: 0, bad: 0 };

/** The column names of fields where they differ. */
const COLUMN_NAMES: Record<string, string> = {
  ref_token: "ref_id",
  coupon: "promo_code",
};

/** A kind of record that a file may hold. */
export interface Kind extends Fields {
  /**
   * Reads the values of one line.
   *
   * @throws Failure with the reason for a bad line
   */
  read(account: Account, values: Record<string, string>): Record<string, unknown>;
  /**
   * Imports one line. `source` identifies the line and is the same when the file is sent again.
   *
   * @throws Failure with the reason for a bad line
   */
  importRow(
    context: Context,
    account: Account,
    row: { values: Record<string, string>; source: string },
  ): Promise<Imported>;
  /** How many lines are imported in parallel: 1 if later lines may depend on earlier ones. */
  concurrency: number;
  /** The fields that may have changed when a file is sent again. */
  changing?: readonly string[];
  /** The fields that each identify a record in later lines of the same file. */
  keys: readonly string[];
  /** The fields with unique values. */
  claims: readonly string[];
}

/** The outcome of some lines. */
export interface Part {
  /** The last of them. */
  line: number;
  count: number;
  outcome: Outcome;
  faults: { line: number; reason: string }[];
}

/**
 * Imports the lines of a file, each in one commit, and yields the outcome of every few lines. A bad line is reported with
 * its number and the reason, and the others are still imported. Records that were imported before are recognised, so the
 * same file may be sent again.
 *
 * @param after the last line that was imported before. Lines up to it are only read, to recognise equal lines
 */
export async function* importRows(
  context: Context,
  account: Account,
  { kind, rows, after = 0 }: { kind: Kind; rows: AsyncIterable<Row>; after?: number },
): AsyncGenerator<Part> {
  const seen = new Map<string, number>();
  for await (const group of inGroups(withSources(rows, kind, seen), kind.concurrency)) {
    const fresh = group.filter(({ row }) => row.line > after);
    if (fresh.length === 0) continue;
    const part: Part = { line: 0, count: fresh.length, outcome: { ...NO_LINES }, faults: [] };
    const work = fresh.map(({ row, source }) => importLine(context, account, { kind, row, source }));
    for (const { line, outcome, fault } of await Promise.all(work)) {
      part.line = line;
      part.outcome[outcome]++;
      if (fault !== null) part.faults.push({ line, reason: fault });
    }
    yield part;
  }
}

/** Adds counts. */
export function sumOf(one: Outcome, other: Outcome): Outcome {
  return {
    added: one.added + other.added,
    changed: one.changed + other.changed,
    known: one.known + other.known,
    bad: one.bad + other.bad,
  };
}

export const REF_ID: Columns = [
  "ref_id",
  "ref_token",
  "ref_code",
  "referral_code",
  "affiliate_code",
  "referral_id",
  "affiliate_id",
  "token",
];
export const PROMOTER_EMAIL: Columns = [
  "promoter_email",
  "affiliate_email",
  "partner_email",
  "referrer_email",
  "promoter",
  "affiliate",
  "partner",
  "referrer",
];
export const CREATED_AT: Columns = [
  "created_at",
  "created",
  "date",
  "joined_at",
  "signup_date",
  "sign_up_date",
];
export const EMAIL: Columns = ["email", "email_address", "e_mail"];
export const UID: Columns = ["uid", "customer_id", "cus_id", "user_id"];
/** The names of a sale's id, besides those that each kind of file has for it. */
export const SALE_ID: Columns = [
  "sale_id",
  "transaction_id",
  "invoice_id",
  "charge_id",
  "order_id",
  "order_number",
  "external_id",
];
/** A whole name, for files without first and last names. */
export const NAME: Columns = ["name", "full_name"];

/** A ref token, which other programs may write in capitals. */
export const refId = text.trim().toLowerCase().refine(isRefToken, "is invalid");

/** First and last name of a line. */
export function namesOf(row: {
  first_name?: string | undefined;
  last_name?: string | undefined;
  name?: string | undefined;
}): { first_name: string | null; last_name: string | null } {
  const whole = row.name === undefined || row.name.includes("@") ? null : namesIn(row.name);
  if (row.first_name === undefined && row.last_name === undefined && whole !== null) return whole;
  return { first_name: row.first_name ?? null, last_name: row.last_name ?? null };
}

/** Why a line is bad, by column names. */
export function reasonOf({ message, fields }: Failure): string {
  const named = Object.entries(fields).map(([name, faults]) => [COLUMN_NAMES[name] ?? name, faults] as const);
  return named.length === 0
    ? message
    : describe(Object.fromEntries(named)).replace("Validation failed: ", "");
}

interface Line {
  row: Row;
  source: string;
}

async function importLine(
  context: Context,
  account: Account,
  { kind, row, source }: Line & { kind: Kind },
): Promise<{ line: number; outcome: keyof Outcome; fault: string | null }> {
  const { line } = row;
  if (row.values === null) return { line, outcome: "bad", fault: row.fault };
  try {
    const outcome = await kind.importRow(context, account, { values: row.values, source });
    return { line, outcome, fault: null };
  } catch (error) {
    if (!(error instanceof Failure) || isOutage(error)) throw error;
    return { line, outcome: "bad", fault: reasonOf(error) };
  }
}

/** Equal lines are numbered, because a file may contain two of them on purpose. */
async function* withSources(
  rows: AsyncIterable<Row>,
  { changing = [] }: Kind,
  seen: Map<string, number>,
): AsyncGenerator<Line> {
  for await (const row of rows) {
    const lasting = Object.entries(row.values ?? {}).filter(([name]) => !changing.includes(name));
    const text = JSON.stringify(lasting.sort(([a], [b]) => (a < b ? -1 : 1)));
    const count = (seen.get(text) ?? 0) + 1;
    seen.set(text, count);
    yield { row, source: `${count} ${text}` };
  }
}

async function* inGroups<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let group: T[] = [];
  for await (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/**
 * A kind whose lines are only tried. Each transaction is rolled back, so a line does not see the lines before it. Their
 * names are remembered instead.
 */
export function tried(kind: Kind): Kind {
  const seen = new Map<string, Set<string>>();
  const has = (field: string, value: string | undefined) =>
    value !== undefined && seen.get(field)?.has(value.toLowerCase()) === true;
  return {
    ...kind,
    concurrency: 1,
    async importRow(context, account, { values, source }) {
      if (kind.keys.some((field) => has(field, values[field]))) return "known";
      for (const field of kind.claims) {
        if (!has(field, values[field])) continue;
        throw new Failure("invalid", "Taken", { [field]: ["is in an earlier line, too"] });
      }
      const own = { ...values };
      // The parent may be in an earlier line.
      if (has("email", own["parent_email"])) delete own["parent_email"];
      const outcome = await kind.importRow({ ...context, store: withoutKeeping(context.store) }, account, {
        values: own,
        source,
      });
      for (const field of [...kind.keys, ...kind.claims]) {
        const value = values[field];
        if (value !== undefined) seen.set(field, (seen.get(field) ?? new Set()).add(value.toLowerCase()));
      }
      return outcome;
    },
  };
}

const TAKEN_BACK = new Failure("refused", "The transaction was only tried");

/** A store whose transactions run completely and are then rolled back. */
function withoutKeeping(store: Store): Store {
  return {
    ...store,
    async transact<T>(work: Parameters<typeof store.transact<T>>[0]): Promise<T> {
      let result: { value: T } | null = null;
      try {
        await store.transact(async (tx) => {
          result = { value: await work(tx) };
          throw TAKEN_BACK;
        });
      } catch (error) {
        if (error !== TAKEN_BACK || result === null) throw error;
      }
      return (result as unknown as { value: T }).value;
    },
  };
}
