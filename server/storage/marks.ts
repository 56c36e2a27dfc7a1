import type { Marks, Table } from "./table.ts";

type Marked = Pick<Table<never>, "fields">;

/** The names of the fields with a mark. */
export function marked({ fields }: Marked, mark: keyof Omit<Marks, "blank">): string[] {
  return Object.keys(fields).filter((name) => fields[name]![mark] === true);
}

/** Whether the audit log only says that a field changed. An unknown name counts as hidden. */
export function isHidden({ fields }: Marked, name: string): boolean {
  const field = fields[name];
  return field === undefined || field.isSecret === true || field.isSealed === true;
}

/** A record of the table as an erasure leaves it. */
export function withoutPersonal<R extends object>(of: Marked, record: R): R {
  const kept = { ...record } as Record<string, unknown>;
  for (const name of marked(of, "isPersonal")) {
    const value = kept[name] ?? null;
    const { blank, isNullable, isOptional } = of.fields[name]!;
    if (value === null) continue;
    if (blank !== undefined) kept[name] = typeof blank === "function" ? blank(value) : blank;
    else if (isOptional) delete kept[name];
    else kept[name] = isNullable ? null : "";
  }
  return kept as R;
}
