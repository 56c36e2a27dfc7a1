import { signal } from "@preact/signals";
import type { Refusal } from "../api/refusal.ts";
import { RequestId } from "./notice.tsx";

const SHOWN_MS = 6_000;

interface Toast {
  id: number;
  text: string;
  /** null: nothing has failed. */
  refusal: Refusal | null;
}

const shown = signal<Toast[]>([]);
let lastId = 0;

/** Tells what has happened, for some seconds. Something to act on belongs on the page instead. */
export function toast(text: string): void {
  const id = show({ text, refusal: null });
  setTimeout(() => dismiss(id), SHOWN_MS);
}

/** Tells why something has failed, until the reader dismisses it. */
export function toastRefusal(refusal: Refusal): void {
  show({ text: refusal.message, refusal });
}

/** Where toasts appear. Each app has one. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.value.map(({ id, text, refusal }) => (
        <div key={id} class="toast">
          <span class="stack tight">
            {text}
            {refusal && <RequestId of={refusal} />}
          </span>
          <button aria-label="Dismiss" onClick={() => dismiss(id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}

function show(told: Omit<Toast, "id">): number {
  const id = ++lastId;
  shown.value = [...shown.value, { id, ...told }];
  return id;
}

function dismiss(id: number): void {
  shown.value = shown.value.filter((each) => each.id !== id);
}
