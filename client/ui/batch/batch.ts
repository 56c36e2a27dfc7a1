import { signal } from "@preact/signals";
import { asRefusal, type Refusal } from "../api/refusal.ts";
import { toast, type Way } from "../feedback/toast.tsx";
import { these, type NextIds, type Selection } from "./selection.ts";

/** Work on many records. It continues on other pages, but not after the tab is closed. */
export interface Batch {
  id: number;
  /** `Accepting 3 promoters`. */
  title: string;
  total: number;
  /** How many records are done, changed or not. */
  handledCount: number;
  /** A sentence for each record that stayed as it was: `7: Promoter not found.` */
  errors: string[];
  /** `stopping`: the user has stopped it, and one part is still under way. */
  state: "running" | "stopping" | "stopped" | "done";
  /** Why it failed, or null. */
  refusal: Refusal | null;
  resume: () => void;
}

/** The API's answer to a part of the work. */
export interface Outcome {
  processing_errors: string[];
}

interface Work {
  title: string;
  /** The message at the end: `3 promoters accepted`. */
  done: (count: number) => string;
  /** Where the result is. Absent: in the list itself. */
  way?: Way | undefined;
  records: Selection;
  send: (ids: number[]) => Promise<Outcome>;
  /**
   * Whether unchanged records are sent again in a second round. That would be wrong for records that must be sent together.
   */
  hasSecondTurn?: boolean;
  /** The list of the records, which is reloaded after changes. */
  reload: (changedCount: number) => Promise<void>;
}

/** Running work. */
interface Job extends Work {
  next: NextIds;
  /** The ids to send next. They stay here until they are answered. */
  part: number[];
  /** Whether there will be a second round. */
  hasSecondTurn: boolean;
}

/** Batches that are running, or have ended with a message. */
export const batches = signal<Batch[]>([]);
let lastId = 0;

/** Works on many records, part by part. */
export async function runBatch(work: Work): Promise<void> {
  const { title, records } = work;
  const id = ++lastId;
  const job: Job = { hasSecondTurn: false, ...work, next: records.begin(), part: [] };
  const resume = () => void goOn(id, job);
  const begun = { id, title, total: records.count, handledCount: 0, errors: [], refusal: null, resume };
  batches.value = [...batches.value, { ...begun, state: "stopped" }];
  await goOn(id, job);
}

/** Stops a batch after the current part. */
export function stopBatch(id: number): void {
  change(id, { state: "stopping" });
}

/** Removes ended batches from the page, because a user who opens another page has seen them. */
export function dismissEnded(): void {
  batches.value = batches.value.filter((batch) => batch.state !== "done");
}

/** Removes a batch from the page. */
export function dismissBatch(id: number): void {
  batches.value = batches.value.filter((batch) => batch.id !== id);
}

/** Whether closing the tab would interrupt a batch. */
export function isRunning({ state }: Batch): boolean {
  return state === "running" || state === "stopping";
}

async function goOn(id: number, job: Job): Promise<void> {
  change(id, { state: "running", refusal: null });
  for (let batch = find(id); batch?.state === "running"; batch = find(id)) {
    try {
      // The user may stop it before and after each step.
      if (job.part.length > 0) await sendPart(batch, job);
      else if ((job.part = await job.next()).length > 0) continue;
      else if (batch.errors.length > 0 && job.hasSecondTurn) tryAgain(batch, job);
      else return finish(batch, job);
    } catch (error) {
      return change(id, { state: "stopped", refusal: asRefusal(error) });
    }
  }
  change(id, { state: "stopped" });
  await job.reload(changedCountOf(find(id)));
}

async function sendPart({ id, handledCount, errors: earlier }: Batch, job: Job): Promise<void> {
  const { processing_errors: errors } = await job.send(job.part);
  change(id, { handledCount: handledCount + job.part.length, errors: [...earlier, ...errors] });
  job.part = [];
}

/**
 * Sends unchanged records a second time. A commission that takes back another one can only be changed after it, but may have
 * come first.
 */
function tryAgain({ id, handledCount, errors }: Batch, job: Job): void {
  const named = errors.filter((error) => /^\d+: /.test(error));
  job.hasSecondTurn = false;
  job.next = these(named.map((error) => Number.parseInt(error, 10))).begin();
  const others = errors.filter((error) => !named.includes(error));
  change(id, { handledCount: handledCount - named.length, errors: others });
}

async function finish(batch: Batch, { done, way, reload }: Job): Promise<void> {
  const { id, handledCount, errors } = batch;
  const changedCount = changedCountOf(batch);
  // Records may have been deleted since they were chosen.
  change(id, { state: "done", total: handledCount });
  if (errors.length === 0) dismissBatch(id);
  if (changedCount > 0) toast(done(changedCount), way);
  await reload(changedCount);
}

function changedCountOf(batch: Batch | undefined): number {
  return batch === undefined ? 0 : batch.handledCount - batch.errors.length;
}

function find(id: number): Batch | undefined {
  return batches.peek().find((batch) => batch.id === id);
}

function change(id: number, changes: Partial<Batch>): void {
  batches.value = batches.value.map((batch) => (batch.id === id ? { ...batch, ...changes } : batch));
}

addEventListener("beforeunload", (event) => {
  if (batches.peek().some(isRunning)) event.preventDefault();
});
