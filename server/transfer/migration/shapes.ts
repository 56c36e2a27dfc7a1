import { z } from "zod";
import { Failure } from "../../failure.ts";
import { exponentOf, isCurrency } from "../../domain/money.ts";
import { isInstant } from "../../storage/storable.ts";
import { identityOf } from "./archive.ts";
import { CLOSED } from "./paging.ts";
import type { ArchivedRows, SourceRemark, SourceReward, SourceCommission, SourceRecord } from "./model.ts";

// The fields of the sources' answers. They are lenient: a field that is missing or has an undocumented form is null,
// unless the record is useless without it.

/** An id. Some sources write numbers. */
export const id = z.union([z.string().min(1), z.int()]).transform(String);

/** A text that is not empty, or null. */
export const text = z
  .unknown()
  .optional()
  .transform((value) => {
    if (typeof value === "number") return String(value);
    return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
  });

/** A reference by id or as an embedded record, or null. */
export const reference = z
  .unknown()
  .optional()
  .transform((value) => {
    const { id, key } = (typeof value === "object" && value !== null ? value : { id: value }) as Reference;
    const found = id ?? key;
    return typeof found === "number" || (typeof found === "string" && found !== "") ? String(found) : null;
  });
type Reference = { id?: unknown; key?: unknown };

/** An amount in the minor unit. Some sources write it as text. */
export const amount = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^-?\d+(\.0+)?$/)
      .transform(Number),
  ])
  .pipe(z.int());

/** The same, or null. */
export const amountOrNull = amount
  .nullish()
  .catch(null)
  .transform((value) => value ?? null);

/** A count of something. 0 if the source leaves it out. */
export const count = amountOrNull.transform((value) => Math.max(0, value ?? 0));

/** A count that a source may not have. */
export const countOrNull = amountOrNull.transform((value) => (value !== null && value >= 0 ? value : null));

export const flag = z
  .unknown()
  .optional()
  .transform((value) => value === true || value === "true" || value === 1);

/** ISO 4217, in capitals, or null. */
export const currency = text.transform((value) => {
  const code = value?.toUpperCase() ?? "";
  return isCurrency(code) ? code : null;
});

/** ISO 8601 in UTC, or null. Some sources write milliseconds since 1970, some a day alone. */
export const instant = z
  .unknown()
  .optional()
  .transform((value) => {
    const isDate = typeof value === "string" ? /^\d{4}-\d\d-\d\d/.test(value) : typeof value === "number";
    const at = new Date(isDate ? (value as string | number) : Number.NaN).toJSON();
    return at !== null && isInstant(at) ? at : null;
  });

/** A required instant. */
export const someInstant = instant.pipe(z.string("is not a date"));

/** Two letters, or null. Some sources write the English name. */
export const country = text.transform((value) => {
  if (value === null) return null;
  if (/^[a-z]{2}$/i.test(value)) return value.toUpperCase();
  return countryCodes().get(value.toLowerCase()) ?? null;
});

/** Maps a word of the source to our value. A record with an unknown word becomes a remark. */
export function meaning<const M extends Record<string, string | object>>(meanings: M) {
  return z.string().transform((word, context): M[keyof M] => {
    const found = meanings[word];
    if (found !== undefined) return found as M[keyof M];
    context.addIssue({ code: "custom", message: `${word} is not known` });
    return z.NEVER;
  });
}

/** Any fields, or null. */
export const fields = z
  .record(z.string(), z.unknown())
  .nullish()
  .catch(null)
  .transform((given) => (given && Object.keys(given).length > 0 ? given : null));

let codes: Map<string, string> | null = null;

function countryCodes(): Map<string, string> {
  if (codes !== null) return codes;
  const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const pairs = letters.flatMap((first) => letters.map((second) => first + second));
  codes = new Map(pairs.map((code) => [names.of(code)?.toLowerCase() ?? "", code]));
  return codes;
}

/** A number with at most four decimals, exactly in ten-thousandths, or null. */
export function tenThousandths(value: unknown): number | null {
  const match = /^(\d{1,8})(?:\.(\d{1,4})0*)?$/.exec(String(value));
  if (match === null) return null;
  const [, whole = "", decimals = ""] = match;
  return Number(whole) * 10_000 + Number(decimals.padEnd(4, "0"));
}

/** Converts an amount in the minor unit to ten-thousandths of the whole unit, or null if the currency is unknown. */
export function flatTenThousandths(minor: number, code: string | null): number | null {
  const exponent = code === null ? null : exponentOf(code);
  return exponent === null ? null : minor * 10 ** (4 - exponent);
}

/** For how long a customer's sales earn a reward. */
export type Duration = Pick<SourceReward, "duration" | "duration_months">;

/** What can't be imported, or not exactly. */
export interface Remarks {
  add(id: string, text: string, isUnread?: true | undefined): void;
  all(): ({ kind: "remark" } & SourceRemark)[];
}

export function newRemarks(): Remarks {
  const found = new Map<string, { kind: "remark" } & SourceRemark>();
  return {
    add: (id, text, isUnread) =>
      void found.set(id, { kind: "remark", id, text, ...(isUnread && { isUnread }) }),
    all: () => [...found.values()],
  };
}

/** What the rows of a list were asked for. */
export interface Asked {
  /** The value that was asked for. Default: the record of each row's `of`. */
  value?: string;
  /** What a row says about it, by id or as embedded records. It may be silent. */
  named: (row: Record<string, unknown>) => unknown[];
  /** Lists of the same kind that were asked for something else. */
  others?: { list: string; value?: string }[];
}

/** A list that a source was asked for. */
export interface List<T> {
  list: string;
  shape: z.ZodType<T>;
  /** Names a row for people, such as `Affiliate`. */
  noun: string;
  asked?: Asked;
}

/**
 * Reads the rows of a list. An unreadable row becomes a remark.
 *
 * A row must prove that it belongs to what was asked, because a source may ignore a filter: a row that names something else
 * is not believed, and neither is a silent row that was answered for two records.
 */
export async function* readRows<T>(
  { archive, remarks }: { archive: ArchivedRows; remarks: Remarks },
  { list, shape, noun, asked }: List<T>,
): AsyncGenerator<T> {
  const doubt = asked === undefined ? null : await newDoubt(archive, list, asked);
  let place = 0;
  for await (const row of archive.rows(list)) {
    place += 1;
    if (doubt?.isForeign(row)) continue;
    const parsed = shape.safeParse(row);
    if (parsed.success) {
      yield parsed.data;
      continue;
    }
    const name = String(row["id"] ?? row["key"] ?? `without an id, number ${place}`);
    const shown = JSON.stringify(row).slice(0, 500);
    const text = `${noun} ${name} can't be read (${faultsOf(parsed.error)}): ${shown}`;
    remarks.add(`${list}:${name}`, text, true);
  }
  doubt?.remark(remarks, `${noun} rows of ${list}`);
}

/** Finds the rows that do not belong to what was asked. */
async function newDoubt(archive: ArchivedRows, list: string, { value, named, others = [] }: Asked) {
  const [silent, proven] = [new Map<string, string>(), new Set<string>()];
  const disputed = new Set<string>();
  const saidOf = (row: Record<string, unknown>) => named(row).flatMap((each) => reference.parse(each) ?? []);
  for (const each of [{ list, value }, ...others]) {
    for await (const row of archive.rows(each.list)) {
      const [id, wanted, said] = [identityOf(row), each.value ?? String(row["of"]), saidOf(row)];
      if (said.length > 0) {
        if (said.every((name) => name === wanted)) proven.add(id);
      } else if ((silent.get(id) ?? wanted) === wanted) silent.set(id, wanted);
      else disputed.add(id);
    }
  }
  const refused = new Set<string>();
  return {
    isForeign(row: Record<string, unknown>): boolean {
      const [id, wanted, said] = [identityOf(row), value ?? String(row["of"]), saidOf(row)];
      const isForeign = said.length > 0 ? said.some((name) => name !== wanted) : disputed.has(id);
      if (isForeign) refused.add(id);
      return isForeign;
    },
    remark(remarks: Remarks, rows: string): void {
      const lost = [...refused].filter((id) => !proven.has(id)).length;
      if (lost > 0)
        remarks.add(
          `foreign:${list}`,
          `${rows} that are left out, because they don't belong to what was asked: ${lost}.`,
          true,
        );
    },
  };
}

function faultsOf({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
}

/** Parses an answer. @throws Failure `refused` if it has another form */
export function readAnswer<T>(shape: z.ZodType<T>, answer: unknown, path: string): T {
  const parsed = shape.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new Failure("refused", `The answer to ${path} has an unknown form (${faultsOf(parsed.error)})`);
}

/** Adds a remark for each list that could not be read, or not for all records. */
export async function remarkClosed(archive: ArchivedRows, remarks: Remarks): Promise<void> {
  const parts = new Map<string, { text: string; count: number }>();
  for await (const { id, list, text, isNeeded } of archive.rows(CLOSED)) {
    if (id === list) remarks.add(`${CLOSED}:${String(id)}`, String(text), isNeeded === true || undefined);
    else {
      const count = (parts.get(String(list))?.count ?? 0) + 1;
      parts.set(String(list), { text: String(text), count });
    }
  }
  for (const [list, { text, count }] of parts)
    remarks.add(
      `${CLOSED}:${list}:parts`,
      `${text}${count === 1 ? "" : ` (and ${count - 1} more of ${list})`}`,
    );
}

type Payout = Extract<SourceRecord, { kind: "payout" }>;

/** Payouts of a source that only mentions them in commissions. Each is the sum of its commissions. */
export interface DerivedPayouts {
  add(commission: SourceCommission): void;
  all(): Payout[];
}

export function newDerivedPayouts(): DerivedPayouts {
  const payouts = new Map<string, Payout>();
  return {
    add({ payout_id, promoter_id, amount, currency, status, isPaid, created_at, paid_at }) {
      if (payout_id === null || status === "denied") return;
      const before = payouts.get(payout_id);
      payouts.set(payout_id, {
        kind: "payout",
        id: payout_id,
        promoter_id,
        campaign_id: null,
        unit: "cash",
        amount: (before?.amount ?? 0) + amount,
        currency,
        status: isPaid && before?.status !== "pending" ? "completed" : "pending",
        method: null,
        error: null,
        period_start: null,
        period_end: null,
        created_at: before && before.created_at > created_at ? before.created_at : created_at,
        paid_at: paid_at ?? before?.paid_at ?? null,
      });
    },
    all: () => [...payouts.values()],
  };
}
