import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { count, several } from "../format.ts";
import { isPageChosen } from "./choice-boxes.tsx";
import type { Choice } from "./choice.ts";

interface ChosenProps {
  choice: Choice;
  /** The singular name of a row. */
  one: string;
  /** The action buttons. */
  children: ComponentChildren;
}

/** The number of chosen rows, with actions. Hidden while nothing is chosen. */
export function Chosen({ choice, one, children }: ChosenProps) {
  const isAll = choice.isAll.value;
  const total = choice.total.value;
  const length = isAll ? total : choice.ids.value.size;
  useFocusInTable(length > 0);
  if (length === 0) return null;
  const hasMore = isAll || (isPageChosen(choice) && total > length);
  return (
    <div class="chosen">
      <strong>
        {isAll ? `All ${several(total, `matching ${one}`)} chosen` : `${several(length, one)} chosen`}
      </strong>
      {hasMore && (
        <button
          class="button little"
          onClick={() => (isAll ? choice.chooseOnly(choice.rows.peek()) : choice.chooseAll())}
        >
          {isAll ? "Choose this page only" : `Choose all ${count(total)} that match`}
        </button>
      )}
      {children}
      <button class="button plain little" onClick={() => choice.chooseOnly([])}>
        Choose none
      </button>
    </div>
  );
}

/** Moves the focus from the bar to the table when the bar disappears. */
function useFocusInTable(isShown: boolean): void {
  const wasShown = useRef(false);
  useEffect(() => {
    const hasFocus = document.activeElement !== document.body;
    if (wasShown.current && !isShown && !hasFocus) {
      document.querySelector<HTMLElement>(".table-scroll")?.focus({ preventScroll: true });
    }
    wasShown.current = isShown;
  }, [isShown]);
}
