import type { ComponentChildren } from "preact";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad, type Loaded } from "../../ui/api/load.ts";
import { Await, Skeleton } from "../../ui/feedback/state.tsx";
import { money, several } from "../../ui/format.ts";

interface Range {
  start_date: string;
  end_date: string;
}

/** One line of a ranking. */
interface Ranked {
  link: string;
  name: string;
  customers: number;
  revenueCents: number;
}

const SHOWN = 5;

/** The query of both reports, by year, because only the totals are shown. */
const queryOf = (range: Range) => ({
  ...range,
  columns: ["revenue_amount" as const, "customers_count" as const],
  group_by: "year" as const,
  "sorting[revenue_amount]": "desc" as const,
  per_page: SHOWN,
});

/** The promoters with the most revenue. */
export function BestPromoters(range: Range) {
  const query = queryOf(range);
  const loaded = useLoad(
    async (signal) =>
      (await answer(api.GET("/api/v2/company/reports/promoters", { params: { query }, signal }))).map(
        ({ id, promoter, data }): Ranked => ({
          link: `/admin/promoters/${id}`,
          name: promoter.name,
          customers: data.customers_count ?? 0,
          revenueCents: data.revenue_amount ?? 0,
        }),
      ),
    [range.start_date, range.end_date],
  );
  return (
    <Ranking title="Best promoters" loaded={loaded}>
      No promoter had a click, a lead or a sale in these days.
    </Ranking>
  );
}

/** The campaigns with the most revenue. */
export function BestCampaigns(range: Range) {
  const query = queryOf(range);
  const loaded = useLoad(
    async (signal) =>
      (await answer(api.GET("/api/v2/company/reports/campaigns", { params: { query }, signal }))).map(
        ({ id, campaign, data }): Ranked => ({
          link: `/admin/campaigns/${id}`,
          name: campaign.name,
          customers: data.customers_count ?? 0,
          revenueCents: data.revenue_amount ?? 0,
        }),
      ),
    [range.start_date, range.end_date],
  );
  return (
    <Ranking title="Best campaigns" loaded={loaded}>
      There is no campaign.
    </Ranking>
  );
}

function Ranking({
  title,
  loaded,
  children,
}: {
  title: string;
  loaded: Loaded<Ranked[]>;
  children: ComponentChildren;
}) {
  return (
    <section class="card">
      <h2>{title}</h2>
      <Await loaded={loaded} skeleton={<Skeleton lines={SHOWN} />}>
        {(ranked) =>
          ranked.length === 0 ? (
            <p class="soft">{children}</p>
          ) : (
            <ol class="plain-list">
              {ranked.map(({ link, name, customers, revenueCents }) => (
                <li key={link}>
                  <span>
                    <a class="one-line" href={link}>
                      {name}
                    </a>
                    <span class="small soft">{several(customers, "customer")}</span>
                  </span>
                  <span class="number">{money(revenueCents)}</span>
                </li>
              ))}
            </ol>
          )
        }
      </Await>
    </section>
  );
}
