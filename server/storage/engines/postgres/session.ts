import type { Pool, PoolClient } from "pg";
import { LOST_RACE } from "../../../failure.ts";
import type { ColumnValue, Key, Table } from "../../table.ts";
import type { IsLate } from "../../request-limit.ts";
import type { Session, Values, Written } from "../../session.ts";
import { mentions, POSTGRES, sqlName, type Statement } from "../../sql.ts";
import { addedTo, newAdditions, totalStatement, type Addition } from "../../sums.ts";
import {
  nameOf,
  type Changes,
  type Seen,
  type Wanted,
  type WrittenRow,
  commandsOf,
  lockingAccount,
  lookup,
  standing,
} from "./statements.ts";
import type { Commit, Marks } from "./committer.ts";
import { OVER, sqlState } from "./faults.ts";
import { sendAll, type Answer, type Command } from "./pipeline.ts";
import { foundIn, namedRows, uniqueColumns, type StoredRow, type Rows } from "./rows.ts";
import { BEGIN } from "./schema.ts";

/** The time limit for creating an index. */
const DEFINING_MS = 6 * 60 * 60 * 1_000;

/** What transactions run on. `writes` gives the pool of the current primary. */
export interface Place {
  rows: Rows;
  writes: () => Pool;
  marks: Marks;
  /** Commits transactions that have no connection of their own. */
  commit: Commit;
}

/** A transaction, and what decides how it ends. */
export interface OpenSession extends Session {
  /** Whether everything that it has read is unchanged. Only then does a refusal by the work count. */
  stands(): Promise<boolean>;
  /** The reason why it can't be committed, or null if none is known. */
  fault(): unknown;
  /** Whether it has written anything. */
  hasChanges(): boolean;
  /** Commits the remaining changes, together with other transactions if possible. */
  commit(): Promise<void>;
  /** Rolls back the statements that it has sent. */
  abandon(): Promise<void>;
}

/** A record that a transaction has read or written. */
interface Entry extends Omit<WrittenRow, "row"> {
  /** The record's row as the transaction sees it, or null if there is none. */
  now: Values | null;
  /** The row to write: null removes it, undefined leaves it. */
  row: WrittenRow["row"] | undefined;
}

/** A lookup of a unique value. Null: no record had it. */
interface Lookup extends Wanted {
  entry: Entry | null;
}

/**
 * Begins a transaction. At first it has no connection: its reads share queries with those of other
 * transactions, and its writes are kept until the end, when everything that it has read is compared with the
 * database. It gets its own connection when it locks a record, or runs a query after a write.
 *
 * `isCareful`: unique values are looked up before they are written. Otherwise only the database notices that
 * another record has one. `isLate`: whether its caller has been refused, so that it may not be committed.
 */
// eslint-disable-next-line max-lines-per-function -- one state, whose parts nothing else uses
export function newSession(
  { rows, writes, marks, commit }: Place,
  { isCareful, isLate }: { isCareful: boolean; isLate: IsLate },
): OpenSession {
  const entries = new Map<string, Entry>();
  const lookups = new Map<string, Lookup>();
  const claimed = new Map<string, Entry>();
  let additions: Addition[] = [];
  /** Whether a record was assumed to be new, or a unique value to be free, without checking. */
  let isUnverified = false;
  let hasSent = false;
  let isOver = false;
  /** Whether it was committed or rolled back. */
  let hasEnded = false;
  let fault: unknown = null;
  let connecting: Promise<PoolClient> | null = null;

  async function begin(): Promise<PoolClient> {
    const client = await writes().connect();
    try {
      await sendAll(client, [BEGIN]);
    } catch (error) {
      client.release(true);
      throw error;
    }
    return client;
  }

  /** Sends statements on the transaction's own connection. */
  async function send(commands: Command[], timeoutMs?: number): Promise<Answer[]> {
    if (isOver) throw new Error("The transaction has ended");
    connecting ??= begin();
    try {
      const client = await connecting;
      if (fault !== null) throw fault;
      return await sendAll(client, commands, timeoutMs);
    } catch (error) {
      throw (fault ??= error);
    }
  }

  function lose(): never {
    fault ??= LOST_RACE;
    throw LOST_RACE;
  }

  async function read(wanted: Wanted): Promise<StoredRow | null> {
    if (connecting === null) return rows.one(wanted);
    const [answer] = await send([lookup([wanted])]);
    return answer!.rows[0] === undefined ? null : foundIn(wanted.from, answer!.rows[0]);
  }

  /** Remembers what was read. */
  function see(from: Table<never>, accountId: number, values: Key, found: StoredRow | null): Entry {
    const name = nameOf(from, "", accountId, values);
    const known = entries.get(name);
    const version = found?.version ?? null;
    if (known !== undefined) return known.version === version ? known : lose();
    const entry: Entry = {
      from,
      by: from.key,
      account_id: accountId,
      values,
      name,
      version,
      now: found?.values ?? null,
      row: undefined,
      claims: [],
      kept: new Set(),
    };
    entries.set(name, entry);
    return entry;
  }

  async function load(from: Table<never>, accountId: number, values: Key): Promise<Entry> {
    const known = entries.get(nameOf(from, "", accountId, values));
    return (
      known ?? see(from, accountId, values, await read({ from, by: from.key, account_id: accountId, values }))
    );
  }

  /** The record that has a unique value, as the transaction sees it. */
  async function holderOf(
    from: Table<never>,
    unique: string,
    accountId: number,
    values: Key,
  ): Promise<Entry | null> {
    const name = nameOf(from, unique, accountId, values);
    const own = claimed.get(name);
    if (own !== undefined) return own;
    let known = lookups.get(name);
    if (known === undefined) {
      const wanted = { from, by: uniqueColumns(from, unique), account_id: accountId, values };
      const found = await read(wanted);
      known = { ...wanted, entry: found && see(from, accountId, found.key, found) };
      lookups.set(name, known);
    }
    // A record that the transaction has written since has other values; otherwise it would be among the
    // claims.
    return known.entry?.row === undefined ? known.entry : null;
  }

  async function write(into: Table<never>, row: Values, { key, isNew, refusal }: Written): Promise<void> {
    const accountId = row[0] as number;
    const isKnown = isCareful || !isNew || entries.has(nameOf(into, "", accountId, key));
    isUnverified ||= !isKnown;
    const entry = isKnown ? await load(into, accountId, key) : see(into, accountId, key, null);
    if (isNew && entry.now !== null) throw refusal(null);
    const claims = claimsOf(into, row);
    if (claims.length > 0 && entry.row === undefined && entry.now !== null)
      entry.kept = new Set(claimsOf(into, entry.now).map(({ name }) => name));
    for (const { unique, name, values } of claims) {
      if (entry.kept.has(name) && !claimed.has(name)) continue;
      const mustLook = isCareful || claimed.has(name) || lookups.has(name);
      isUnverified ||= !mustLook;
      const holder = mustLook ? await holderOf(into, unique, accountId, values) : null;
      if (holder !== null && holder !== entry) throw refusal(unique);
    }
    const names = claims.map(({ name }) => name);
    if (entry.row !== undefined && names.join() !== entry.claims.join()) {
      // A unique value that the row had for a while may have moved to another row.
      await send(takeCommands());
      return write(into, row, { key, isNew: false, refusal });
    }
    entry.row = row;
    entry.now = row;
    entry.claims = names;
    for (const name of names) claimed.set(name, entry);
  }

  /** Whether there is anything to send. */
  const hasUnsent = () => additions.length > 0 || [...entries.values()].some(({ row }) => row !== undefined);

  /** Whether a query reads tables with unsent writes. */
  function isAboutUnsent({ text }: Statement): boolean {
    const written = [...entries.values()].filter(({ row }) => row !== undefined);
    const names = [...written.map(({ from }) => sqlName(from)), ...additions.map(({ into }) => into.name)];
    return names.some((name) => mentions(text, name));
  }

  /** The rows that were read and are not written, by name. */
  function seenOnly(): Map<string, Seen> {
    const seen = new Map<string, Seen>();
    for (const [name, entry] of entries) if (entry.row === undefined) seen.set(name, entry);
    for (const [name, wanted] of lookups)
      if (wanted.entry === null && !claimed.has(name)) seen.set(name, { ...wanted, version: null });
    return seen;
  }

  /** Returns all reads and writes, and forgets them. */
  function takeChanges(): Changes {
    const written = [...entries.values()].filter(
      (entry): entry is Entry & WrittenRow => entry.row !== undefined,
    );
    const changes = { seen: seenOnly(), written, additions };
    hasSent ||= hasUnsent();
    for (const each of [entries, lookups, claimed]) each.clear();
    additions = [];
    return changes;
  }

  const takeCommands = () => commandsOf(takeChanges(), { goesOn: true });

  /** Queries rows that may just have been written. */
  async function ask(question: Statement): Promise<Answer> {
    const { of } = question;
    // A listing of records includes their versions, so that none is overwritten unread.
    const text = of === undefined ? question.text : question.text.replace("select ", "select row_version, ");
    const command = { text, values: question.values };
    const mustSend = isAboutUnsent(question);
    const commands = mustSend ? [...takeCommands(), command] : [command];
    const answer =
      connecting === null && !mustSend ? await rows.ask(command) : (await send(commands)).at(-1)!;
    if (of === undefined) return answer;
    const width = of.names.length + 1;
    for (const row of answer.rows) {
      const found = foundIn(of, [null, ...row.slice(0, width)]);
      see(of, question.values[0] as number, found.key, found);
    }
    return { ...answer, fields: answer.fields.slice(1), rows: answer.rows.map((row) => row.slice(1)) };
  }

  return {
    dialect: POSTGRES,
    get(from, accountId, key) {
      const known = entries.get(nameOf(from, "", accountId, key));
      return known === undefined ? load(from, accountId, key).then(({ now }) => now) : known.now;
    },
    find: async (from, unique, accountId, values) =>
      (await holderOf(from, unique, accountId, values))?.now ?? null,
    all: async (statement) => (await ask(statement)).rows,
    async total(of, accountId, start) {
      const question = totalStatement(of, accountId, { start, dialect: POSTGRES });
      // Cleared before the answer is awaited, because a concurrent query may send them.
      const unsent = newAdditions();
      unsent.include(additions);
      const own = unsent.totalOf(of, accountId, start);
      const answer = connecting === null ? await rows.ask(question) : (await send([question]))[0]!;
      return addedTo(answer.rows[0]!.map(Number), [own]);
    },
    ask: async (question) => namedRows(await ask(question)),
    async lock(from, accountId, key) {
      const name = nameOf(from, "", accountId, key);
      const wanted = { from, by: from.key, account_id: accountId, values: key };
      // Own writes are sent first, so that the row includes them.
      const before = entries.get(name)?.row === undefined ? [] : takeCommands();
      const { text, values } = lookup([wanted]);
      const held = { text: `${text} for update of ${sqlName(from)}`, values };
      // An account's own record is stored under 0, like those of all accounts.
      const locking = lockingAccount(accountId || Number(key[0]));
      const [row] = (await send([...before, locking, held])).at(-1)!.rows;
      return see(from, accountId, key, row === undefined ? null : foundIn(from, row)).now;
    },
    write,
    async remove(from, accountId, key) {
      const entry = await load(from, accountId, key);
      for (const name of entry.claims) claimed.delete(name);
      entry.claims = [];
      entry.now = null;
      entry.row = entry.version === null ? undefined : null;
    },
    async run({ text, values }) {
      hasSent = true;
      return (await send([...takeCommands(), { text, values }])).at(-1)!.rowCount ?? 0;
    },
    async define(text) {
      hasSent = true;
      const untimed = { text: "set local statement_timeout = 0", values: [] };
      await send([...takeCommands(), untimed, { text, values: [] }], DEFINING_MS);
    },
    addUp: (more) => void additions.push(...more),
    async stands() {
      if (isUnverified) return false;
      const seen = [...seenOnly().values(), ...[...entries.values()].filter(({ row }) => row !== undefined)];
      // A single read needs no comparison.
      if (seen.length <= 1 && connecting === null) return true;
      const commands = [standing(seen)];
      const [answer] = connecting === null ? await rows.send(commands) : await send(commands);
      return answer!.rows[0]![0] === 1;
    },
    fault: () => fault,
    hasChanges: () => hasSent || hasUnsent(),
    async commit() {
      if (connecting === null) return commit(takeChanges(), isLate);
      if (isLate()) throw OVER;
      return marks.finish(async (end) => {
        try {
          const answers = await send([...commandsOf(takeChanges(), { goesOn: false }), ...end]);
          hasEnded = true;
          return answers;
        } finally {
          await abandon();
        }
      });
    },
    abandon,
  };

  async function abandon(): Promise<void> {
    if (isOver) return;
    isOver = true;
    const client = await connecting?.catch(() => null); // `send` has already reported it
    if (!client) return;
    // A connection that does not answer is closed.
    let isIntact = fault === null || fault === LOST_RACE || sqlState(fault) !== null;
    if (isIntact && !hasEnded)
      isIntact = await sendAll(client, [{ text: "rollback", values: [] }]).then(
        () => true,
        () => false,
      );
    client.release(!isIntact);
  }
}

/** The unique values of a row. A row with a null among them claims nothing. */
function claimsOf(
  into: Table<never>,
  row: readonly ColumnValue[],
): { unique: string; name: string; values: Key }[] {
  const names = into.names;
  return Object.entries<readonly string[]>(into.unique).flatMap(([unique, on]) => {
    const values = on.map((column) => row[names.indexOf(column)] ?? null);
    return values.includes(null)
      ? []
      : [{ unique, values: values as Key, name: nameOf(into, unique, row[0] as number, values as Key) }];
  });
}
