import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { Await } from "../../ui/feedback/state.tsx";
import type { Filters } from "../../ui/fragment.ts";
import { BestCampaigns, BestPromoters } from "./best.tsx";
import { Figures } from "./figures.tsx";
import { Funnel } from "./funnel.tsx";
import { LatestLeads } from "./latest-leads.tsx";
import { daysOf, type HomeFilters } from "./range.tsx";
import { TaskList } from "./tasks.tsx";

/** How the program is doing. */
export function Overview({ filters }: { filters: Filters<HomeFilters> }) {
  const { from, to } = daysOf(filters.values.value);
  const query = { start_date: from, end_date: to };
  const home = useLoad(
    (signal) => answer(api.GET("/api/v2/company/home", { params: { query }, signal })),
    [from, to],
  );
  return (
    <div class="stack">
      <Await loaded={home} skeleton={<Skeleton />}>
        {(shown) => (
          <>
            <Figures home={shown} filters={filters} />
            <div class="lists">
              <TaskList tasks={shown.tasks} owedCents={shown.figures.owed_amount.total} />
              <Funnel home={shown} />
            </div>
            <div class="lists">
              <BestPromoters {...query} />
              <BestCampaigns {...query} />
            </div>
            <LatestLeads leads={shown.latest_referrals} />
          </>
        )}
      </Await>
    </div>
  );
}

/** As high as the loaded content. */
function Skeleton() {
  return (
    <div class="stack" role="status" aria-label="Loading">
      <div class="tiles">
        {Array.from({ length: 5 }, (_, tile) => (
          <div key={tile} class="tile skeleton-tile">
            <span class="skeleton-line" />
          </div>
        ))}
      </div>
      <div class="card skeleton-plot" />
    </div>
  );
}
