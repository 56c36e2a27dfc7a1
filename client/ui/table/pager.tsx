import { count } from "../format.ts";
import { PAGE_LENGTH, type List } from "./list.ts";
import { t } from "../../languages/messages.ts";

/** The pager of a list. */
export function Pager({ list }: { list: Pick<List<unknown>, "data" | "filters"> }) {
  const page = Math.max(1, Number(list.filters.values.value.page) || 1);
  const turn = (to: number) => list.filters.set({ page: String(to) });
  return <PageTurner page={page} total={list.data.value?.total ?? 0} turn={turn} />;
}

/** The shown range and total of records. `turn` opens another page. */
export function PageTurner({
  page,
  total,
  turn,
}: {
  page: number;
  total: number;
  turn: (page: number) => void;
}) {
  const last = Math.max(1, Math.ceil(total / PAGE_LENGTH));
  const first = (page - 1) * PAGE_LENGTH + 1;
  if (total === 0) return null;
  return (
    <nav class="table-foot" aria-label={t("pager")}>
      <span aria-live="polite">
        {first > total
          ? t("pager.past", { page: count(page) })
          : t("pager.range", {
              first: count(first),
              last: count(Math.min(total, page * PAGE_LENGTH)),
              total: count(total),
            })}
      </span>
      {(last > 1 || page > 1) && (
        <span class="row">
          <TurnButton words={t("previous")} to={Math.min(page - 1, last)} isOff={page <= 1} turn={turn} />
          <TurnButton words={t("next")} to={page + 1} isOff={page >= last} turn={turn} />
        </span>
      )}
    </nav>
  );
}

/** With `aria-disabled`, a button keeps the focus, unlike with `disabled`. */
function TurnButton({
  words,
  to,
  isOff,
  turn,
}: {
  words: string;
  to: number;
  isOff: boolean;
  turn: (page: number) => void;
}) {
  return (
    <button type="button" class="button little" aria-disabled={isOff} onClick={() => !isOff && turn(to)}>
      {words}
    </button>
  );
}
