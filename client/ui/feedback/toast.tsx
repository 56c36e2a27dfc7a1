import { signal } from "@preact/signals";
import type { Refusal } from "../api/refusal.ts";
import { RequestId } from "./notice.tsx";
import { t } from "../../languages/messages.ts";

const SHOWN_MS = 6_000;

/** A page where the result of an action is. */
export interface Way {
  path: string;
  words: string;
}

interface Toast {
  id: number;
  text: string;
  way?: Way | undefined;
  /** Null if nothing has failed. */
  refusal: Refusal | null;
}

const shown = signal<Toast[]>([]);
let lastId = 0;

/** Shows a message for some seconds. Messages that need action belong on the page instead. */
export function toast(text: string, way?: Way): void {
  const id = show({ text, way, refusal: null });
  setTimeout(() => dismiss(id), SHOWN_MS);
}

/** Shows an error until the user dismisses it. */
export function toastRefusal(refusal: Refusal): void {
  show({ text: refusal.message, refusal });
}

/** Shows toasts. Each app has one. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.value.map(({ id, text, way, refusal }) => (
        <div key={id} class="toast">
          <span class="stack tight">
            {text}
            {way && <a href={way.path}>{way.words}</a>}
            {refusal && <RequestId of={refusal} />}
          </span>
          <button aria-label={t("dismiss")} onClick={() => dismiss(id)}>
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
