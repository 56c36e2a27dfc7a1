import { signal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { t } from "../../languages/messages.ts";

interface DialogProps {
  title: string;
  /** Called by the button, by Escape or by a click outside. Without it, only the content can close the dialog. */
  onClose?: (() => void) | undefined;
  children: ComponentChildren;
}

/** A dialog that is open while it is rendered. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useModal();
  const id = useId();
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      // A second Escape would close even a dialog that must not be closed.
      onKeyDown={(event) => event.key === "Escape" && onClose === undefined && event.preventDefault()}
      onCancel={(event) => {
        // Preact controls rendering, so the browser must not close it.
        event.preventDefault();
        onClose?.();
      }}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        {onClose && (
          <button class="button plain little" aria-label={t("close")} onClick={onClose}>
            ✕
          </button>
        )}
      </div>
      {children}
    </dialog>
  );
}

/** Opens a `dialog` while it is rendered. The browser keeps the focus in it; afterwards the focus returns to the opener. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const element = useRef<HTMLDialogElement>(null);
  const [opener] = useState(() => document.activeElement);
  useEffect(() => {
    element.current?.showModal();
    // The dialog is already removed, so the browser does not restore the focus.
    return () => opener instanceof HTMLElement && opener.focus();
  }, []);
  return element;
}

/** A confirmation before an action that can't be undone or affects many records. */
interface Question {
  title: string;
  text: ComponentChildren;
  /** The text of the button. */
  action: string;
  isDanger?: boolean;
}

const asked = signal<(Question & { answer: (isYes: boolean) => void }) | null>(null);

/** Asks for confirmation, and resolves to the answer. */
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

/** Shows confirmations. Each app has one. */
export function Questions() {
  const question = asked.value;
  if (question === null) return null;
  const { title, text, action, isDanger, answer } = question;
  return (
    <Dialog title={title} onClose={() => answer(false)}>
      <div>{text}</div>
      <div class="dialog-foot">
        <button class="button" onClick={() => answer(false)}>
          {t("cancel")}
        </button>
        <button class={`button ${isDanger ? "danger" : "main"}`} onClick={() => answer(true)}>
          {action}
        </button>
      </div>
    </Dialog>
  );
}
