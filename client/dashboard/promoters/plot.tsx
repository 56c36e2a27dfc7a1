import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { Plot } from "../../ui/chart/plot.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { daysBefore, today } from "../../ui/day.ts";
import { count, money } from "../../ui/format.ts";

const SELECTIONS = [
  ["clicks", "Clicks"],
  ["referrals", "Leads"],
  ["customers", "Customers"],
  ["revenue", "Revenue"],
] as const;
type Selection = (typeof SELECTIONS)[number][0];

const DAYS = 90;

/** A promoter's figures of the last three months. */
export function PromoterPlot({ id }: { id: number }) {
  const selection = useSignal<Selection>("clicks");
  const shown = selection.value;
  const loaded = useLoad((signal) => loadPoints(id, shown, signal), [id, shown]);
  return (
    <section class="card stack">
      <div class="row spread">
        <h2>Last {DAYS} days</h2>
        <div class="segments" role="group" aria-label="What is plotted">
          {SELECTIONS.map(([name, words]) => (
            <button key={name} aria-pressed={name === shown} onClick={() => (selection.value = name)}>
              {words}
            </button>
          ))}
        </div>
      </div>
      <Await loaded={loaded}>{(points) => <Line of={points} />}</Await>
    </section>
  );
}

async function loadPoints(id: number, selection: Selection, signal: AbortSignal) {
  const to = today();
  const from = daysBefore(to, DAYS - 1);
  const params = { path: { id }, query: { period_from: from, period_to: to, selection } };
  return answer(api.GET("/api/v2/company/promoters/{id}/chart_data", { params, signal }));
}

type Points = Awaited<ReturnType<typeof loadPoints>>;

/** The loaded points, which may still be the previous selection's. */
function Line({ of: { selection, selection_items: items } }: { of: Points }) {
  const title = SELECTIONS.find(([name]) => name === selection)?.[1] ?? "";
  const format = selection === "revenue" ? money : count;
  return (
    <Plot
      days={items.map(([day]) => String(day))}
      lines={[{ name: title, values: items.map(([, value]) => Number(value)) }]}
      format={format}
      formatShort={(value) => format(value, { isShort: true })}
      label={`${title} in the last ${DAYS} days`}
    />
  );
}
