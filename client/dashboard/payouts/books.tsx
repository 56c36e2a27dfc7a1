import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { toDisk } from "../../ui/api/download.ts";
import type { components } from "../../ui/api/types.ts";
import { Empty } from "../../ui/feedback/state.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { money } from "../../ui/format.ts";
import type { Filters } from "../../ui/fragment.ts";
import { PAGE_LENGTH, useList, type Wanted } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { may } from "../session/session.ts";
import { bookDays, type PayoutFilters } from "./query.ts";

type Line = Omit<components["schemas"]["PromoterBooks"], "promoter_id"> & { id: number | "total" };
type Amount = Exclude<keyof components["schemas"]["PromoterBooks"], "promoter_id" | "name" | "email">;

const amount = (id: Amount, title: string, isWide = false): Column<Line> => ({
  id,
  title,
  isNumber: true,
  isWide,
  cell: (line) => money(line[id]),
});

const COLUMNS: Column<Line>[] = [
  {
    id: "promoter",
    title: "Promoter",
    cell: ({ id, name }) =>
      id === "total" ? (
        "All promoters"
      ) : (
        <a class="one-line" href={`/admin/promoters/${id}`}>
          {name ?? `Promoter ${id}`}
        </a>
      ),
  },
  amount("opening", "Owed before"),
  amount("earned", "Earned"),
  amount("reversed", "Reversed", true),
  amount("moved", "Moved", true),
  amount("paid", "Paid"),
  amount("returned", "Returned", true),
  amount("closing", "Owed after"),
  amount("tax", "Tax paid", true),
  amount("fees", "Fees", true),
];

type Props = { filters: Filters<PayoutFilters> };

/** What was owed to promoters at two dates, and why it changed. */
export function Books({ filters }: Props) {
  const sums = useSignal<Line | null>(null);
  const list = useList(filters, async (wanted: Wanted<PayoutFilters>, signal) => {
    const { total, ...rows } = await loadBooks(wanted, signal);
    sums.value = total;
    return { rows: rows.rows, total: rows.count };
  });
  return (
    <>
      <div class="table-tools">
        <Day filters={filters} name="from" label="From" />
        <Day filters={filters} name="to" label="To" />
        {may("manager") && (
          <div class="end">
            <button class="button" onClick={() => void save(filters, "balances")}>
              Download balances
            </button>
            <button class="button" onClick={() => void save(filters, "entries")}>
              Download entries
            </button>
          </div>
        )}
      </div>
      <p class="books-rule hint">
        What was owed before, with what was earned, moved here and returned, less what was reversed and paid,
        is what was owed after. A past month never changes.
      </p>
      <Table
        caption="Books"
        columns={COLUMNS}
        list={list}
        {...(sums.value && { total: sums.value })}
        empty={
          <Empty title="Nothing was owed">
            <p>No promoter was owed money in these days.</p>
          </Empty>
        }
      />
    </>
  );
}

async function loadBooks({ from, to, number }: Wanted<PayoutFilters>, signal: AbortSignal) {
  const query = { ...bookDays({ from, to }), page: number, per_page: PAGE_LENGTH };
  const call = await api.GET("/api/v2/company/books", { params: { query }, signal });
  const { data, meta } = await answer(Promise.resolve(call));
  return {
    rows: data.map(({ promoter_id: id, ...line }): Line => ({ id, ...line })),
    count: Number(call.response.headers.get("total")),
    total: { id: "total", name: null, email: null, ...meta.total } as Line,
  };
}

function Day({ filters, name, label }: Props & { name: "from" | "to"; label: string }) {
  return (
    <label class="day">
      <span class="small soft">{label}</span>
      <input
        class="input"
        type="date"
        value={bookDays(filters.values.value)[name]}
        onChange={(event) => filters.set({ [name]: event.currentTarget.value })}
      />
    </label>
  );
}

async function save({ values }: Filters<PayoutFilters>, file: "balances" | "entries"): Promise<void> {
  await tell(async () => {
    const query = { file, ...bookDays(values.value) };
    await answer(api.GET("/api/v2/company/books/download", { params: { query }, fetch: toDisk }));
    return "The file is being downloaded";
  });
}
