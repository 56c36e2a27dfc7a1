import { z } from "zod";
import { Failure } from "../failure.ts";
import { wholeSecond } from "../http/fields.ts";
import type { View } from "../storage/store.ts";
import type { Table } from "../storage/table.ts";

type Schemas = Record<string, z.ZodType>;

/** A field's schema, and where its value comes from. The schema alone: the record has it under the same name. */
type Row<R, P, S extends z.ZodType> = S | readonly [schema: S, of: (record: R, parts: P) => z.output<S>];
type Rows<R, P, S extends Schemas> = { readonly [Name in keyof S]: Row<R, P, S[Name]> };

/** A schema alone that does not fit the record becomes a sentence, which the compiler shows. */
type Checked<R, F> = {
  [Name in keyof F]: F[Name] extends z.ZodType<infer T>
    ? Name extends keyof R
      ? R[Name] extends T
        ? F[Name]
        : `${Name & string} of the record does not fit its schema`
      : `${Name & string} is not a field of the record`
    : F[Name];
};

type Shape<F> = {
  -readonly [Name in keyof F]: F[Name] extends readonly [infer S extends z.ZodType, unknown]
    ? S
    : F[Name] extends z.ZodType
      ? F[Name]
      : never;
};

/** Reads what is shown with each of some records. Null: the record was deleted meanwhile. */
type Parts<R, P> = (view: View, records: R[]) => Promise<(P | null)[]>;

/** How a kind of record is shown: its schema, for clients and for `/openapi.json`, and its values. */
export interface Answer<R, P, S extends z.ZodType> {
  schema: S;
  json(record: R, parts: P): z.output<S>;
  /** Reads the parts, too. @throws Failure `not_found` if the record was deleted meanwhile */
  show(view: View, record: R): Promise<z.output<S>>;
  /** The same. Records that were deleted meanwhile are left out. */
  showAll(view: View, records: R[]): Promise<z.output<S>[]>;
}

/**
 * Declares how a kind of record is shown, with a row for each field. What has no row is never shown.
 *
 * @example const productAnswer = shown(products)("Product", { id: recordId, name: field(z.string(), "Its name.", "Pro") });
 */
export function shown<R, P extends object | number | void = void>(
  _of: Pick<Table<R>, "derived">,
  parts?: Parts<R, P>,
) {
  /** `id`: its name in `/openapi.json`. Two calls, so that the compiler knows the record before it reads the rows. */
  return <S extends Schemas, F extends Rows<R, P, S>>(
    id: string,
    fields: F & Rows<R, P, S> & Checked<R, F>,
  ): Answer<R, P, z.ZodObject<Shape<F>>> => {
    const rows = Object.entries(fields as Rows<R, P, Schemas>).map(([name, row]) => {
      const [schema, of] = "parse" in row ? [row, ownOf<R>(name, row)] : row;
      return { name, schema, of };
    });
    const shape = Object.fromEntries(rows.map(({ name, schema }) => [name, schema])) as Shape<F>;
    const schema = z.object(shape).meta({ id });
    const json = (record: R, parts: P) =>
      Object.fromEntries(rows.map(({ name, of }) => [name, of(record, parts)])) as z.output<typeof schema>;
    const showAll = async (view: View, records: R[]) => {
      const read = await parts?.(view, records);
      return records.flatMap((record, at) => (read?.[at] === null ? [] : [json(record, read?.[at] as P)]));
    };
    const show = async (view: View, record: R) => {
      const [one] = await showAll(view, [record]);
      if (one === undefined) throw new Failure("not_found", `${id} was deleted meanwhile.`);
      return one;
    };
    return { schema, json, show, showAll };
  };
}

/** Reads the record's own field. Instants whose schema has whole seconds are cut to them. */
function ownOf<R>(name: string, schema: z.ZodType): (record: R) => unknown {
  const own = (record: R) => record[name as keyof R];
  const { precision } = innermost(schema).def as { precision?: number | null };
  return precision === 0 ? (record) => wholeSecond(own(record) as string | null) : own;
}

function innermost(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodNullable ? innermost(schema.unwrap() as z.ZodType) : schema;
}
