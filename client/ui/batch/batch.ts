import { signal } from "@preact/signals";
import { asRefusal, type Refusal } from "../api/refusal.ts";
import { toast } from "../feedback/toast.tsx";

/** How many records go into one request: few enough for progress that one can see. */
const PART_LENGTH = 20;

/** Work on many records. It goes on when the reader leaves the page, but not when they close it. */
export interface Batch {
  id: number;
  /** `Accepting 3 promoters`. */
  title: string;
  total: number;
  doneCount: number;
  /** A sentence for each record that stayed as it was. */
  errors: string[];
  /** Why it stopped. null: it goes on, or it is done. */
  refusal: Refusal | null;
  resume: () => void;
}

/** What the interface says of a part of the work. */
interface Outcome {
  processing_errors: string[];
}

interface Work {
  title: string;
  /** Said when all is done: `3 promoters accepted`. */
  done: (count: number) => string;
  ids: number[];
  send: (ids: number[]) => Promise<Outcome>;
  /** The list that shows the records. */
  reload: () => Promise<void>;
}

/** Batches that run, or that stopped with something to say. */
export const batches = signal<Batch[]>([]);
let lastId = 0;

/** Works on many records, part by part. */
export async function runBatch(work: Work): Promise<void> {
  const id = ++lastId;
  const resume = () => void sendRest(id, work);
  const { title, ids } = work;
  const batch = { id, title, total: ids.length, doneCount: 0, errors: [], refusal: null, resume };
  batches.value = [...batches.value, batch];
  await sendRest(id, work);
}

/** Takes a batch off the page. */
export function dismissBatch(id: number): void {
  batches.value = batches.value.filter((batch) => batch.id !== id);
}

/** Whether a batch would be cut short if the page were closed. */
export function isRunning({ doneCount, total, refusal }: Batch): boolean {
  return doneCount < total && refusal === null;
}

async function sendRest(id: number, work: Work): Promise<void> {
  change(id, { refusal: null });
  for (let batch = find(id); batch && batch.doneCount < batch.total; batch = find(id)) {
    const part = work.ids.slice(batch.doneCount, batch.doneCount + PART_LENGTH);
    try {
      const { processing_errors: errors } = await work.send(part);
      change(id, { doneCount: batch.doneCount + part.length, errors: [...batch.errors, ...errors] });
    } catch (error) {
      return change(id, { refusal: asRefusal(error) });
    }
  }
  const { total = 0, errors = [] } = find(id) ?? {};
  if (errors.length === 0) dismissBatch(id);
  if (total > errors.length) toast(work.done(total - errors.length));
  await work.reload();
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
