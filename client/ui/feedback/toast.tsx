import { signal } from "@preact/signals";

const SHOWN_MS = 6_000;
const shown = signal<{ id: number; text: string }[]>([]);
let lastId = 0;

/** Tells what has happened, for some seconds. Something to act on belongs on the page instead. */
export function toast(text: string): void {
  const id = ++lastId;
  shown.value = [...shown.value, { id, text }];
  setTimeout(() => dismiss(id), SHOWN_MS);
}

/** Where toasts appear. Each app has one. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.value.map(({ id, text }) => (
        <div key={id} class="toast">
          <span>{text}</span>
          <button aria-label="Dismiss" onClick={() => dismiss(id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}

function dismiss(id: number): void {
  shown.value = shown.value.filter((each) => each.id !== id);
}
