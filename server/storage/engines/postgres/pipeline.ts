import { types, type Client, type Pool, type PoolClient, type QueryArrayResult } from "pg";
import { storable } from "../../storable.ts";
import type { ColumnValue } from "../../table.ts";
import { isOutdated } from "./faults.ts";

/** A value of a statement. An array is for `unnest`. */
export type Value = ColumnValue | readonly ColumnValue[];

export interface Command {
  text: string;
  values: readonly Value[];
}

/** The answer to a statement. */
export type Answer = Pick<QueryArrayResult<ColumnValue[]>, "fields" | "rows" | "command" | "rowCount">;

/**
 * Sends statements together, without waiting for answers in between. They have no names, because poolers in
 * transaction mode don't support them.
 *
 * @throws the error of the first that failed. Within a transaction, all later ones fail as well
 */
export async function sendAll(
  client: PoolClient,
  commands: readonly Command[],
  timeoutMs?: number,
): Promise<Answer[]> {
  const limit = timeoutMs === undefined ? {} : { query_timeout: timeoutMs };
  const { stream } = (client as PoolClient & Client).connection;
  // One packet: a system call for each statement took a third of the time.
  stream.cork();
  const queries = commands.map(({ text, values }) =>
    client.query<ColumnValue[]>({
      text,
      values: values.map(sendable),
      rowMode: "array",
      types: PARSERS,
      ...limit,
    }),
  );
  stream.uncork();
  const answers = await Promise.allSettled(queries);
  return answers.map((answer) => {
    if (answer.status === "rejected") throw answer.reason;
    return answer.value;
  });
}

/** A value that Postgres accepts, for example a search text. */
function sendable(value: Value): Value {
  if (Array.isArray(value)) return value.map(sendable) as ColumnValue[];
  return typeof value === "string" ? storable(value) : value;
}

/**
 * Sends statements together on a connection of a pool. If they are a transaction, the last one ends it. So the
 * connection of a lost race can be used again: a new one takes far longer than the transaction. A function is called
 * when there is a connection, and sends nothing if it throws.
 */
export async function sendOn(
  pool: Pool,
  commands: readonly Command[] | (() => readonly Command[]),
  timeoutMs?: number,
): Promise<Answer[]> {
  const client = await pool.connect();
  let isIntact = false;
  try {
    const all = typeof commands === "function" ? commands() : commands;
    const answers = await sendAll(client, all, timeoutMs);
    isIntact = true;
    return answers;
  } catch (error) {
    isIntact = isOutdated(error);
    throw error;
  } finally {
    client.release(!isIntact);
  }
}

const { BOOL, INT8, INT2, INT4, OID, FLOAT4, FLOAT8, NUMERIC, TIMESTAMPTZ } = types.builtins;
const NUMBERS = [INT8, INT2, INT4, OID, FLOAT4, FLOAT8, NUMERIC];

type Parse = (text: string) => ColumnValue;

/** Reads values as `ColumnValue`. What is not here stays a text, documents included. */
const PARSE = new Map<number, Parse>([
  ...NUMBERS.map((type): [number, Parse] => [type, Number]),
  [BOOL, (text) => Number(text === "t")],
  [TIMESTAMPTZ, instantOf],
]);
const PARSERS = { getTypeParser: (type: number) => PARSE.get(type) ?? asText };

function asText(text: string): string {
  return text;
}

/** `2026-03-04 05:06:07.89+00`, in any time zone: poolers may keep that of another session. */
const INSTANT =
  /^(\d{4,6})-(\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3})\d*)?([+-])(\d\d):?(\d\d)?:?(\d\d)?( BC)?$/;

/**
 * `infinity` stays as it is, so that `tidemark check` can name it.
 *
 * @throws Error for another form: `DateStyle` is not ISO
 */
function instantOf(text: string): string {
  if (/^-?infinity$/.test(text)) return text;
  const found = INSTANT.exec(text);
  if (found === null)
    throw new Error(`Postgres wrote the time ${text} in another form: set DateStyle to ISO`);
  const [, year, day, second, fraction = "", sign] = found;
  const offset = found.slice(6, 9);
  const at = `${isoYear(Number(year), found[9] !== undefined)}-${day}T${second}.${fraction.padEnd(3, "0")}Z`;
  const [hours, minutes, seconds] = offset.map((part = "0") => Number(part)) as [number, number, number];
  const offsetMs = ((hours * 60 + minutes) * 60 + seconds) * 1_000;
  if (offsetMs === 0) return at;
  return new Date(Date.parse(at) - (sign === "-" ? -offsetMs : offsetMs)).toISOString();
}

/** The local year of an instant may be 10000 or 1 BC, although it is from 1 to 9999 in UTC. */
function isoYear(year: number, isBeforeChrist: boolean): string {
  if (isBeforeChrist) return year === 1 ? "0000" : `-${String(year - 1).padStart(6, "0")}`;
  return year > 9999 ? `+${String(year).padStart(6, "0")}` : String(year).padStart(4, "0");
}
