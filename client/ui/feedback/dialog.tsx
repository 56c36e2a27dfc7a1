import { signal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

interface DialogProps {
  title: string;
  /** By the button, by Escape or from outside. Absent: only the content closes it. */
  onClose?: (() => void) | undefined;
  children: ComponentChildren;
}

/** A dialog, open for as long as it is rendered. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useModal();
  const id = useId();
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      // The second Escape would close even a dialog that may not be closed.
      onKeyDown={(event) => event.key === "Escape" && onClose === undefined && event.preventDefault()}
      onCancel={(event) => {
        // Preact decides what is rendered, so the browser may not close it by itself.
        event.preventDefault();
        onClose?.();
      }}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        {onClose && (
          <button class="button plain little" aria-label="Close" onClick={onClose}>
            ✕
          </button>
        )}
      </div>
      {children}
    </dialog>
  );
}

/** Opens a `dialog` for as long as it is rendered. The browser keeps the focus in it; at the end its opener gets it back. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const element = useRef<HTMLDialogElement>(null);
  const [opener] = useState(() => document.activeElement);
  useEffect(() => {
    element.current?.showModal();
    // The dialog has left the page by then, so the browser no longer gives the focus back by itself.
    return () => opener instanceof HTMLElement && opener.focus();
  }, []);
  return element;
}

/** A question before something that can't be taken back, or that concerns many. */
interface Question {
  title: string;
  text: ComponentChildren;
  /** The words of the button: what it does. */
  action: string;
  isDanger?: boolean;
}

const asked = signal<(Question & { answer: (isYes: boolean) => void }) | null>(null);

/** Asks a question and resolves with whether the reader agreed. */
export function ask(question: Question): Promise<boolean> {
  asked.value?.answer(false);
  return new Promise((resolve) => {
    asked.value = {
      ...question,
      answer(isYes) {
        asked.value = null;
        resolve(isYes);
      },
    };
  });
}

/** Where questions appear. Each app has one. */
export function Questions() {
  const question = asked.value;
  if (question === null) return null;
  const { title, text, action, isDanger, answer } = question;
  return (
    <Dialog title={title} onClose={() => answer(false)}>
      <div>{text}</div>
      <div class="dialog-foot">
        <button class="button" onClick={() => answer(false)}>
          Cancel
        </button>
        <button class={`button ${isDanger ? "danger" : "main"}`} onClick={() => answer(true)}>
          {action}
        </button>
      </div>
    </Dialog>
  );
}
