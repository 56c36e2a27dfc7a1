import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Skeleton, Failed } from "../feedback/state.tsx";
import { OutOfDate } from "../feedback/notice.tsx";
import { PageBox, RowBox, rowNameId } from "./choice-boxes.tsx";
import type { Choice } from "./choice.ts";
import { shownColumns, type Columns } from "./columns.tsx";
import { orderOf, PAGE_LENGTH, type List } from "./list.ts";
import { Pager } from "./pager.tsx";

/** One column of a table. */
export interface Column<R> {
  id: string;
  title: string;
  cell: (row: R) => ComponentChildren;
  /** Whether cells are aligned to the end, for figures. */
  isNumber?: boolean;
  /** Whether cells may wrap, for sentences. */
  isText?: boolean;
  /** Hidden on phones. Another cell shows the same in an element with the class `on-phone`. */
  isWide?: boolean;
  /** The API's name of the order by this column, if it can be sorted. */
  sort?: string;
}

interface TableProps<R extends { id: number | string }> {
  /** The name of the list, for screen readers. */
  caption: string;
  columns: Column<R>[];
  list: List<R>;
  /** The sums of all pages, below the rows. */
  total?: R;
  /** Shown instead of an empty table. */
  empty: ComponentChildren;
  /** The chosen rows. */
  choice?: Choice;
  /** The chosen columns. */
  chosenColumns?: Columns;
}

/** A page of records. The first column names the record. */
export function Table<R extends { id: number | string }>(props: TableProps<R>) {
  const { caption, list, total, empty, choice, chosenColumns } = props;
  const { data, refusal, isLoading, reload } = list;
  const columns = shownColumns(props.columns, chosenColumns);
  if (data.value === null && refusal.value !== null) return <Failed refusal={refusal.value} retry={reload} />;
  if (data.value?.total === 0 && !isLoading.value) return <div class="table">{empty}</div>;
  const rows = data.value?.rows;
  return (
    <>
      {refusal.value && <OutOfDate refusal={refusal.value} retry={reload} />}
      <Frame caption={caption}>
        <table aria-busy={isLoading.value}>
          <caption class="unseen">{caption}</caption>
          <thead>
            <tr>
              {choice && (
                <th class="cell-choice" scope="col">
                  <PageBox choice={choice} />
                </th>
              )}
              {columns.map((column) => (
                <HeadCell key={column.id} column={column} list={list} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows === undefined
              ? skeleton(columns.length + (choice ? 1 : 0))
              : rows.map((row) => <Row key={row.id} row={row} columns={columns} choice={choice} />)}
          </tbody>
          {total && (
            <tfoot>
              <tr>
                {choice && <td />}
                {columns.map((column, at) => cellOf(column, total, at === 0))}
              </tr>
            </tfoot>
          )}
        </table>
      </Frame>
      <Pager list={list} />
    </>
  );
}

/** Scrolls a wide table, and shades its edge while there are columns beyond it. */
function Frame({ caption, children }: { caption: string; children: ComponentChildren }) {
  const place = useRef<HTMLDivElement>(null);
  const hasMore = useSignal(false);
  const look = ({ scrollLeft, clientWidth, scrollWidth }: Element) => {
    // The position is negative in a page from right to left.
    hasMore.value = Math.abs(scrollLeft) + clientWidth < scrollWidth - 1;
  };
  useEffect(() => {
    const scroller = place.current!;
    const resized = new ResizeObserver(() => look(scroller));
    for (const element of [scroller, ...scroller.children]) resized.observe(element);
    return () => resized.disconnect();
  }, []);
  return (
    <div class={hasMore.value ? "table more" : "table"}>
      <div
        ref={place}
        class="table-scroll"
        role="region"
        aria-label={caption}
        tabIndex={0}
        onScroll={({ currentTarget }) => look(currentTarget)}
      >
        {children}
      </div>
    </div>
  );
}

interface RowProps<R> {
  row: R;
  columns: Column<R>[];
  choice: Choice | undefined;
}

function Row<R extends { id: number | string }>({ row, columns, choice }: RowProps<R>) {
  return (
    <tr>
      {choice && (
        <td class="cell-choice">
          <RowBox choice={choice} id={row.id} />
        </td>
      )}
      {columns.map((column, at) => cellOf(column, row, at === 0))}
    </tr>
  );
}

function cellOf<R extends { id: number | string }>(
  { id, cell, isNumber, isText, isWide }: Column<R>,
  row: R,
  isName: boolean,
) {
  const kind = isNumber ? "number" : isText ? "cell-text" : "";
  const css = isWide ? `${kind} on-desk` : kind || undefined;
  if (isName) {
    return (
      <th key={id} id={rowNameId(row.id)} class={css} scope="row">
        {cell(row)}
      </th>
    );
  }
  return (
    <td key={id} class={css}>
      {cell(row)}
    </td>
  );
}

function HeadCell<R>({
  column: { title, sort, isNumber, isWide },
  list,
}: {
  column: Column<R>;
  list: List<R>;
}) {
  const kind = isNumber ? "number" : "";
  const css = isWide ? `${kind} on-desk` : kind || undefined;
  if (sort === undefined) {
    return (
      <th class={css} scope="col">
        {title}
      </th>
    );
  }
  const { name, direction } = orderOf(list.filters.values.value.sort);
  const isSorted = name === sort;
  const isDescending = isSorted && direction === "desc";
  // The first click sorts figures descending and names ascending.
  const next = isSorted ? !isDescending : isNumber === true;
  return (
    <th
      class={css}
      scope="col"
      aria-sort={isSorted ? (isDescending ? "descending" : "ascending") : undefined}
    >
      <button class="sort" onClick={() => list.filters.set({ sort: next ? `-${sort}` : sort })}>
        {title}
        {isSorted && <span aria-hidden="true">{isDescending ? "↓" : "↑"}</span>}
      </button>
    </th>
  );
}

/** As many rows as a page has, so that the height does not change after loading. */
function skeleton(columnsCount: number) {
  return Array.from({ length: PAGE_LENGTH / 2 }, (_, row) => (
    <tr key={row}>
      <td colSpan={columnsCount}>
        <Skeleton />
      </td>
    </tr>
  ));
}
