import type { LeasedContext } from "../../domain/context.ts";
import { servedAccounts, type Account } from "../../domain/program/account/account.ts";
import { writeImport, type AuditedEntity } from "../../domain/access/audit/audit.ts";
import type { Actor, Chance, Context } from "../../domain/context.ts";
import {
  batchProcesses,
  csvImports,
  csvParts,
  type BatchProcess,
  type CsvImport,
} from "../../domain/batch.ts";
import { Failure, isOutage } from "../../failure.ts";
import type { Store, Transaction } from "../../storage/store.ts";
import { tried, importRows, NO_LINES, sumOf, type Outcome, type Part } from "./import.ts";
import { KINDS, type KindName } from "./kinds.ts";
import { readRows, type CsvPlan } from "./plan.ts";
import { readText, type CsvFile } from "./read.ts";

/** Lines that are imported before the answer, so that most files are complete by then. */
const AT_ONCE = 200;
/** Lines per step of the job. */
const STEP = 500;
/** How many bad lines are stored with their reasons. */
const MOST_FAULTS = 1_000;
/** Each running import stores its file. */
const MOST_UNDER_WAY = 10;
/** The size of a stored piece of a file. */
const PART_CHARACTERS = 256 * 1024;

/** The audit log's entity of each kind. */
const ENTITIES: Record<KindName, AuditedEntity> = {
  promoters: "promoter",
  leads: "referral",
  customers: "referral",
  sales: "referral",
  commissions: "commission",
};

/** An uploaded file. */
export interface SentFile {
  kind: KindName;
  is_dry_run: boolean;
  name: string | null;
  file: CsvFile;
  plan: CsvPlan;
  actor: Actor;
}

/** The outcome of the lines so far. */
interface Progress {
  outcome: Outcome;
  count: number;
  last_line: number;
  faults: Part["faults"];
}

const BEGINNING: Progress = { outcome: NO_LINES, count: 0, last_line: 0, faults: [] };

/**
 * Imports the first lines of a file, and stores the rest for a job. The batch is written last, so that an interrupted
 * request does not leave half an import behind that would continue. The file may be sent again.
 *
 * @throws Failure `refused` if too many are under way
 */
export async function startImport(context: Context, account: Account, sent: SentFile): Promise<BatchProcess> {
  const { store, now } = context;
  if ((await store.count(csvImports, "id", account.id, [])) >= MOST_UNDER_WAY)
    throw new Failure("refused", `${MOST_UNDER_WAY} imports are under way; wait until one of them is done`);
  const { progress, isDone } = await importSome(stepsOf(context, account, sent), AT_ONCE);
  const total = isDone ? progress.count : Math.max(progress.count + 1, await lineCount(sent.file));
  const id = await store.nextId("batch-process");
  const batch = batchOf(
    {
      account_id: account.id,
      id,
      label: `import/${sent.kind}`,
      total,
      processed_count: 0,
      errors: [],
      ...(!isDone && { is_under_way: true as const }),
      meta: { kind: sent.kind, dry_run: sent.is_dry_run, file: sent.name, ...NO_LINES },
      created_at: now.toISOString(),
      updated_at: now.toISOString(),
    },
    progress,
    now,
  );
  const parts = isDone ? [] : await partsOf(sent.file);
  await store.transact(async (tx) => {
    await tx.insert(batchProcesses, batch);
    if (!sent.is_dry_run) await log(tx, context, { account, sent, total });
    if (isDone) return;
    for (const [number, text] of parts.entries())
      await tx.insert(csvParts, { account_id: account.id, import_id: id, number, text });
    await tx.insert(csvImports, {
      account_id: account.id,
      id,
      kind: sent.kind,
      is_dry_run: sent.is_dry_run,
      plan: sent.plan,
      last_line: progress.last_line,
      part_count: parts.length,
      created_at: now.toISOString(),
    });
  });
  return batch;
}

/** The parameters of the job. */
interface Run extends LeasedContext {
  chance: Chance;
}

/** Continues all unfinished imports, some lines at a time. */
export async function* continueImports(run: Run): AsyncGenerator<void> {
  const { store } = run;
  for await (const account of servedAccounts(store)) {
    const started: CsvImport[] = [];
    for await (const chunk of store.scan(csvImports, "id", account.id, [])) started.push(...chunk);
    for (const each of started) yield* continueImport(run, account, each);
  }
}

async function* continueImport(
  { store, clock, chance, guard }: Run,
  account: Account,
  started: CsvImport,
): AsyncGenerator<void> {
  const { id, kind, is_dry_run, plan, part_count } = started;
  const context = { store, now: clock(), chance };
  const file = () => keptFile(store, account.id, { id, part_count });
  // A dry run starts over, because it needs to remember what its lines would have added.
  const after = is_dry_run ? 0 : started.last_line;
  const sent = { kind: kind as KindName, is_dry_run, file, plan: plan as CsvPlan };
  const steps = stepsOf(context, account, { ...sent, after });
  if (is_dry_run) await store.transact((tx) => begin(tx, account.id, id));
  for (let isDone = false; !isDone;) {
    const step = await importSome(steps, STEP);
    isDone = step.isDone;
    await store.transact(async (tx) => {
      await guard(tx);
      await keep(tx, started, { ...step, now: clock() });
    });
    yield;
  }
}

type Steps = AsyncGenerator<Part>;

function stepsOf(
  context: Context,
  account: Account,
  {
    kind,
    is_dry_run,
    file,
    plan,
    after = 0,
  }: Pick<SentFile, "kind" | "is_dry_run" | "file" | "plan"> & { after?: number },
): Steps {
  const own = is_dry_run ? tried(KINDS[kind]) : KINDS[kind];
  return importRows(context, account, { kind: own, rows: readRows(file, plan, account), after });
}

/** Imports some lines. If the rest of the file is unreadable, the import ends there with the reason. */
async function importSome(steps: Steps, limit: number): Promise<{ progress: Progress; isDone: boolean }> {
  let progress = BEGINNING;
  while (progress.count < limit) {
    try {
      const { done, value } = await steps.next();
      if (done) return { progress, isDone: true };
      progress = withPart(progress, value);
    } catch (error) {
      if (!(error instanceof Failure) || isOutage(error)) throw error;
      const line = progress.last_line + 1;
      const part = {
        line,
        count: 1,
        outcome: { ...NO_LINES, bad: 1 },
        faults: [{ line, reason: error.message }],
      };
      return { progress: withPart(progress, part), isDone: true };
    }
  }
  return { progress, isDone: false };
}

function withPart({ outcome, count, faults }: Progress, part: Part): Progress {
  return {
    outcome: sumOf(outcome, part.outcome),
    count: count + part.count,
    last_line: part.line,
    faults: [...faults, ...part.faults],
  };
}

/** The batch with the counts of further lines. */
function batchOf(batch: BatchProcess, { outcome, count, faults }: Progress, now: Date): BatchProcess {
  const known = batch.meta as unknown as Outcome;
  const failedCount = (batch.failed_count ?? 0) + outcome.bad;
  const sentences = faults.map(({ line, reason }) => `${line}: ${reason}`);
  return {
    ...batch,
    processed_count: batch.processed_count + count - outcome.bad,
    failed_count: failedCount,
    errors: [...batch.errors, ...sentences].slice(0, MOST_FAULTS),
    meta: { ...batch.meta, ...sumOf(known, outcome) },
    updated_at: now.toISOString(),
  };
}

/** Resets the counts of a dry run. */
async function begin(tx: Transaction, accountId: number, id: number): Promise<void> {
  const batch = await tx.get(batchProcesses, accountId, id);
  if (batch === null) return;
  await tx.put(batchProcesses, {
    ...batch,
    processed_count: 0,
    failed_count: 0,
    errors: [],
    meta: { ...batch.meta, ...NO_LINES },
  });
}

async function keep(
  tx: Transaction,
  { account_id, id, part_count }: CsvImport,
  { progress, isDone, now }: { progress: Progress; isDone: boolean; now: Date },
): Promise<void> {
  const started = await tx.get(csvImports, account_id, id);
  const before = await tx.get(batchProcesses, account_id, id);
  if (started === null || before === null) return;
  const { is_under_way, ...rest } = batchOf(before, progress, now);
  if (!isDone) {
    await tx.put(batchProcesses, { ...rest, ...(is_under_way && { is_under_way }) });
    if (progress.last_line > 0) await tx.put(csvImports, { ...started, last_line: progress.last_line });
    return;
  }
  await tx.put(batchProcesses, { ...rest, total: rest.processed_count + (rest.failed_count ?? 0) });
  for (let number = 0; number < part_count; number++) await tx.remove(csvParts, account_id, id, number);
  await tx.remove(csvImports, account_id, id);
}

async function log(
  tx: Transaction,
  { store, now }: Context,
  { account, sent, total }: { account: Account; sent: SentFile; total: number },
): Promise<void> {
  const file = { kind: sent.kind, file: sent.name, lines: total };
  await writeImport(
    tx,
    { store, actor: sent.actor, now },
    { account_id: account.id, entity: ENTITIES[sent.kind], file },
  );
}

async function* keptFile(
  store: Store,
  accountId: number,
  { id, part_count }: { id: number; part_count: number },
): AsyncGenerator<Uint8Array> {
  for (let number = 0; number < part_count; number++) {
    const part = await store.get(csvParts, accountId, id, number);
    if (part === null) throw new Error(`Part ${number} of the import ${id} is gone`);
    yield Buffer.from(part.text);
  }
}

async function partsOf(file: CsvFile): Promise<string[]> {
  const parts: string[] = [];
  for await (const text of readText(file)) {
    for (let at = 0; at < text.length;) {
      // Surrogate pairs must not be split.
      const end =
        at + PART_CHARACTERS - (/[\ud800-\udbff]/.test(text[at + PART_CHARACTERS - 1] ?? "") ? 1 : 0);
      parts.push(text.slice(at, end));
      at = end;
    }
  }
  return parts;
}

/** The approximate number of lines below the header. It is fast, and exact without blank lines. */
async function lineCount(file: CsvFile): Promise<number> {
  let count = 0;
  let isOpen = false;
  for await (const text of readText(file)) {
    for (const piece of text.split(/(["\n])/)) {
      if (piece === '"') isOpen = !isOpen;
      else if (piece === "\n" && !isOpen) count += 1;
    }
  }
  return Math.max(0, count - 1);
}
