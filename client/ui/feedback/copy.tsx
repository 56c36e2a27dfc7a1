import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { t } from "../../languages/messages.ts";

const SHOWN_MS = 2_000;

/** The text of the button. */
type Outcome = "copy" | "copy.done" | "copy.keys" | "copy.failed";

/** A button that copies a text. `of` describes the text for screen readers. */
export function CopyButton({ text, of }: { text: string; of: string }) {
  const outcome = useSignal<Outcome>("copy");
  const button = useRef<HTMLButtonElement>(null);
  const copy = async () => {
    outcome.value = await outcomeOf(text, button.current);
    setTimeout(() => (outcome.value = "copy"), SHOWN_MS);
  };
  const words = t(outcome.value);
  return (
    <button
      ref={button}
      type="button"
      class="button little"
      aria-label={t("copy.of", { action: words, thing: of })}
      onClick={copy}
    >
      {words}
    </button>
  );
}

/** A text to copy, such as an id or a link. */
export function Copyable({ text, of }: { text: string; of: string }) {
  return (
    <span class="copyable">
      <code title={text}>{text}</code>
      <CopyButton text={text} of={of} />
    </span>
  );
}

/** Some lines to paste elsewhere. */
export function Paste({ text, of }: { text: string; of: string }) {
  return (
    <div class="stack tight">
      <pre class="paste" tabIndex={0} role="region" aria-label={of}>
        {text}
      </pre>
      <div>
        <CopyButton text={text} of={of} />
      </div>
    </div>
  );
}

async function outcomeOf(text: string, button: HTMLButtonElement | null): Promise<Outcome> {
  if (await copied(text, button)) return "copy.done";
  return selected(button) ? "copy.keys" : "copy.failed";
}

/** Browsers offer the clipboard only on https or localhost. Elsewhere, an older way may work. */
async function copied(text: string, button: HTMLButtonElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    // Behind an open dialog nothing can be selected.
    (button?.closest("dialog") ?? document.body).append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    button?.focus();
    return isCopied;
  }
}

/** Selects the text beside or above a button, so that the user can copy it. Returns whether there is any. */
function selected(button: HTMLButtonElement | null): boolean {
  const places = [button?.previousElementSibling, button?.parentElement?.previousElementSibling];
  const shown = places.find((place) => place?.matches("code, pre"));
  if (shown) getSelection()?.selectAllChildren(shown);
  return Boolean(shown);
}
