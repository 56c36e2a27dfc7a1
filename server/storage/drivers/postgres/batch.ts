import type { Changes } from "../../driver.ts";
import { LOCK_COUNT } from "./schema.ts";

/** A commit that waits for its turn. */
export interface PendingCommit {
  changes: Changes;
  resolve: (isDone: boolean) => void;
  reject: (error: unknown) => void;
}

/** A statement and the values for `$1` and so on. */
export interface Statement {
  text: string;
  values: unknown[];
}

const MAX_COMMITS = 512;
const MAX_ENTRIES = 20_000;

/**
 * Takes the commits that can be decided together. All checks are compared with the state before the batch, so
 * no commit may check or write a key that an earlier one writes. Adding to the same counters is no conflict.
 */
export function takeBatch(
  pending: readonly PendingCommit[],
): [batch: PendingCommit[], rest: PendingCommit[]] {
  const batch: PendingCommit[] = [];
  const rest: PendingCommit[] = [];
  const written = new Set<string>();
  const added = new Set<string>();
  const isMet = (key: string) => written.has(key) || added.has(key);
  let entryCount = 0;
  for (const commit of pending) {
    const { checks, puts, removes, sums } = commit.changes;
    entryCount += checks.length + puts.length + removes.length + sums.length;
    const hasRoom = batch.length === 0 || (batch.length < MAX_COMMITS && entryCount <= MAX_ENTRIES);
    const mustWait =
      checks.some(([key]) => isMet(key)) ||
      puts.some(([key]) => isMet(key)) ||
      removes.some(isMet) ||
      sums.some(([key]) => written.has(key));
    if (!hasRoom || mustWait) {
      rest.push(commit);
      continue;
    }
    batch.push(commit);
    for (const [key] of puts) written.add(key);
    for (const key of removes) written.add(key);
    for (const [key] of sums) added.add(key);
  }
  return [batch, rest];
}

/** The parts of the commit whose checks passed. */
const DONE = "(select unnest(done) from tidemark_commits where writer = $1 and number = $2)";

/** The time at which the transaction began, in microseconds: the same for all its statements. */
const BEGUN_AT = "cast(extract(epoch from current_timestamp) * 1000000 as bigint)";

/** Locks in the order of the slot numbers, so that no two commits ever deadlock. */
const LOCK = `update tidemark_locks set turn = ${BEGUN_AT} where slot = any(array(
  select slot from tidemark_locks where slot = any(cast($1 as integer[])) order by slot for update))`;

const DECIDE = `update tidemark_commits set number = $2, at = current_timestamp, done = array(
    select part from unnest(cast($3 as integer[])) as parts(part) where part not in (
      select checks.part from unnest(cast($4 as text[]), cast($5 as text[]), cast($6 as integer[]))
        as checks(key, seen, part)
      where (select value from tidemark_items where tidemark_items.key = checks.key)
        is distinct from checks.seen))
  where writer = $1 and number < $2
    and ${BEGUN_AT} = all(select turn from tidemark_locks where slot = any(cast($7 as integer[])))
  returning done`;

const REMOVE = `delete from tidemark_items where key = any(array(
  select removed.key from unnest(cast($3 as text[]), cast($4 as integer[])) as removed(key, part)
  where removed.part in ${DONE}))`;

const PUT = `insert into tidemark_items (key, value)
  select put.key, put.value
  from unnest(cast($3 as text[]), cast($4 as text[]), cast($5 as integer[])) as put(key, value, part)
  where put.part in ${DONE}
  on conflict (key) do update set value = excluded.value`;

const ADD = `insert into tidemark_items as counter (key, value)
  select added.key, '{"sum":' || cast(sum(added.delta) as text) || '}'
  from unnest(cast($3 as text[]), cast($4 as numeric[]), cast($5 as integer[])) as added(key, delta, part)
  where added.part in ${DONE}
  group by added.key
  on conflict (key) do update set value = '{"sum":' || cast(
    cast(cast(counter.value as jsonb)->>'sum' as numeric) + cast(cast(excluded.value as jsonb)->>'sum' as numeric)
    as text) || '}'`;

/**
 * The transaction of a batch. All statements are sent together, without waiting for answers.
 *
 * Why this is correct under READ COMMITTED, where each statement sees everything that was committed before it
 * began: LOCK updates a row for every account that the batch touches, so two commits that share a key are
 * never both past LOCK. From then on the values under the batch's keys, or their absence, stay unchanged
 * until this transaction ends. DECIDE begins after LOCK, compares all checks with these values and keeps the
 * parts that passed; the statements after it write only for those parts. Absent keys need no special care. If
 * an engine reads from one snapshot for the whole transaction, a change of LOCK's rows after that snapshot
 * fails the transaction (40001), and it is retried.
 *
 * DECIDE writes nothing if the writer's mark has reached this number (the commit was given up) or is gone.
 * Then the other statements write nothing either.
 */
export function statementsOf(batch: readonly PendingCommit[], writer: string, number: number): Statement[] {
  const parts = batch.map((_, part) => part);
  const checks = columns(batch, ({ checks }) => checks);
  const removes = columns(batch, ({ removes }) => [...new Set(removes)].map((key): [string] => [key]));
  const puts = columns(batch, ({ puts, removes }) => lastPuts(puts, new Set(removes)));
  const sums = columns(batch, ({ sums }) => sums.map(([key, delta]): [string, string] => [key, `${delta}`]));
  const slots = slotsOf(batch);
  const statements: Statement[] = [
    { text: "begin isolation level read committed", values: [] },
    { text: LOCK, values: [slots] },
    { text: DECIDE, values: [writer, number, parts, checks.keys, checks.texts, checks.parts, slots] },
  ];
  const mark = [writer, number];
  if (removes.keys.length > 0)
    statements.push({ text: REMOVE, values: [...mark, removes.keys, removes.parts] });
  if (puts.keys.length > 0)
    statements.push({ text: PUT, values: [...mark, puts.keys, puts.texts, puts.parts] });
  if (sums.keys.length > 0)
    statements.push({ text: ADD, values: [...mark, sums.keys, sums.texts, sums.parts] });
  statements.push({ text: "commit", values: [] });
  return statements;
}

/** The index of DECIDE among the statements. */
export const DECISION_AT = 2;

function columns(
  batch: readonly PendingCommit[],
  entriesOf: (changes: Changes) => Iterable<[key: string, text?: string | null]>,
): { keys: string[]; texts: (string | null)[]; parts: number[] } {
  const [keys, texts, parts]: [string[], (string | null)[], number[]] = [[], [], []];
  batch.forEach(({ changes }, part) => {
    for (const [key, text = null] of entriesOf(changes)) {
      keys.push(key);
      texts.push(text);
      parts.push(part);
    }
  });
  return { keys, texts, parts };
}

/** The puts that remain when a commit's puts are applied in order, followed by its removes. */
function lastPuts(puts: Changes["puts"], removed: Set<string>): Map<string, string> {
  const last = new Map(puts);
  for (const key of removed) last.delete(key);
  return last;
}

/**
 * All keys of an account begin with its id, so one lock stands for an account. Several accounts may share a
 * lock.
 */
function slotsOf(batch: readonly PendingCommit[]): number[] {
  const starts = new Set<string>();
  const meet = (key: string) => {
    const end = key.indexOf(":");
    starts.add(end < 0 ? key : key.slice(0, end));
  };
  for (const { changes } of batch) {
    for (const [key] of changes.checks) meet(key);
    for (const [key] of changes.puts) meet(key);
    changes.removes.forEach(meet);
    for (const [key] of changes.sums) meet(key);
  }
  return [...new Set([...starts].map(slotOf))];
}

/** Any function of the key would do, but it must be the same in every version of this program. */
function slotOf(start: string): number {
  let slot = 0;
  for (let at = 0; at < start.length; at++) slot = (slot * 31 + start.charCodeAt(at)) % LOCK_COUNT;
  return slot;
}
