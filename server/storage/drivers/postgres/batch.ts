import type { Changes } from "../../driver.ts";
import { LOCK_COUNT } from "./schema.ts";

/** A commit that waits for its turn. */
export interface PendingCommit {
  changes: Changes;
  resolve: (isDone: boolean) => void;
  reject: (error: unknown) => void;
}

/** A statement and what stands in it for `$1` and so on. */
export interface Statement {
  text: string;
  values: unknown[];
}

const MAX_COMMITS = 512;
const MAX_ENTRIES = 20_000;

/**
 * Takes the commits that can be decided together: all checks are held against what stands before the
 * batch, so none may check or write what an earlier one writes. Adding to the same counters is no conflict.
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

/** Those of a commit that nobody else holds while it is under way: the parts that held. */
const DONE = "(select unnest(done) from tidemark_commits where writer = $1 and number = $2)";

/** The instant that the transaction began at, in microseconds: one for all of its statements, and no other's. */
const BEGUN_AT = "cast(extract(epoch from current_timestamp) * 1000000 as bigint)";

/** In the order of their numbers, so that no two commits ever wait for each other. */
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
 * The transaction of a batch, sent as a whole without waiting for any answer.
 *
 * Why it is right under READ COMMITTED, where each statement sees all that was committed before it began:
 * LOCK changes a row for every account that the batch touches, so that two commits which share a key are
 * never both past LOCK. From then on what is stored under the batch's keys, or missing there, stays as it
 * is until this transaction ends. DECIDE, which begins after LOCK, compares all checks with that and leaves
 * the parts that held; what follows writes for these alone. Absence needs no care of its own. Where an
 * engine reads from one snapshot for the whole transaction, a change of LOCK's rows after that snapshot
 * fails it (40001), and it runs again.
 *
 * DECIDE writes nothing where the writer's mark has reached this number (somebody has given the commit up)
 * or is gone; then nothing else is written either.
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

/** Where DECIDE stands among the statements. */
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

/** What is left of a commit's puts when each was done, and then its removes. */
function lastPuts(puts: Changes["puts"], removed: Set<string>): Map<string, string> {
  const last = new Map(puts);
  for (const key of removed) last.delete(key);
  return last;
}

/** All keys of an account begin with its id, so one lock stands for an account, and may for several. */
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

/** Any function of the key would do; it must be the same in every version of this program. */
function slotOf(start: string): number {
  let slot = 0;
  for (let at = 0; at < start.length; at++) slot = (slot * 31 + start.charCodeAt(at)) % LOCK_COUNT;
  return slot;
}
