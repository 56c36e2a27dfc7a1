import { count } from "../format.ts";
import { PAGE_LENGTH, type List } from "./list.ts";

/** Which rows are shown, of how many, and the way to the others. */
export function Pager({ list }: { list: Pick<List<unknown>, "data" | "filters"> }) {
  const total = list.data.value?.total ?? 0;
  const page = Math.max(1, Number(list.filters.values.value.page) || 1);
  const last = Math.max(1, Math.ceil(total / PAGE_LENGTH));
  const first = (page - 1) * PAGE_LENGTH + 1;
  const turn = (to: number) => list.filters.set({ page: String(to) });
  if (total === 0) return null;
  return (
    <nav class="table-foot" aria-label="Pages of the list">
      <span aria-live="polite">
        {first > total
          ? `Page ${count(page)} is past the end`
          : `${count(first)} to ${count(Math.min(total, page * PAGE_LENGTH))} of ${count(total)}`}
      </span>
      {(last > 1 || page > 1) && (
        <span class="row">
          <button class="button little" disabled={page <= 1} onClick={() => turn(Math.min(page - 1, last))}>
            Previous
          </button>
          <button class="button little" disabled={page >= last} onClick={() => turn(page + 1)}>
            Next
          </button>
        </span>
      )}
    </nav>
  );
}
