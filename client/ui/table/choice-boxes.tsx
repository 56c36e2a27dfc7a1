import type { Choice, Id } from "./choice.ts";

/** The id of the element with the row's name. */
export const rowNameId = (id: Id): string => `row-${id}`;

/** The checkbox of a row. While all matching rows are chosen, single ones can't be excluded. */
export function RowBox({ choice: { ids, isAll }, id }: { choice: Choice; id: Id }) {
  return (
    <input
      type="checkbox"
      id={`choose-${id}`}
      aria-label="Choose"
      aria-labelledby={`choose-${id} ${rowNameId(id)}`}
      disabled={isAll.value}
      checked={isAll.value || ids.value.has(id)}
      onInput={(event) => mark(ids, [id], event.currentTarget.checked)}
    />
  );
}

/** The checkbox for all rows of a page. */
export function PageBox({ choice }: { choice: Choice }) {
  const { ids, isAll, rows } = choice;
  return (
    <input
      type="checkbox"
      aria-label="Choose all on this page"
      disabled={isAll.value}
      checked={isAll.value || isPageChosen(choice)}
      onInput={(event) => mark(ids, rows.peek(), event.currentTarget.checked)}
    />
  );
}

/** Whether each row of the page is chosen. */
export function isPageChosen({ ids, rows }: Choice): boolean {
  return rows.value.length > 0 && rows.value.every((id) => ids.value.has(id));
}

function mark(ids: Choice["ids"], some: Id[], isChosen: boolean): void {
  const next = new Set(ids.peek());
  for (const id of some)
    if (isChosen) next.add(id);
    else next.delete(id);
  ids.value = next;
}
