import { count, percent } from "../../ui/format.ts";
import type { HomeAnswer } from "./home-answer.ts";

/** How many of the clicks become leads, and how many of these customers. */
export function Funnel({ home: { figures, rates } }: { home: HomeAnswer }) {
  const clicks = figures.clicks_count.total;
  const steps = [
    { title: "Clicks", total: clicks, of: null },
    {
      title: "Leads",
      total: figures.referrals_count.total,
      of: `${percent(rates.clicks_to_referrals_cr)} of clicks`,
    },
    {
      title: "Customers",
      total: figures.customers_count.total,
      of: `${percent(rates.referrals_to_customers_cr)} of leads`,
    },
  ];
  const most = Math.max(1, ...steps.map(({ total }) => total));
  return (
    <section class="card">
      <h2>From click to customer</h2>
      <ol class="bars">
        {steps.map(({ title, total, of }) => (
          <li key={title} class="stack tight">
            <span class="row spread">
              <span>{title}</span>
              <span>
                {of !== null && <span class="soft small">{of} </span>}
                <strong>{count(total)}</strong>
              </span>
            </span>
            <progress class="bar" value={total} max={most} aria-hidden="true" />
          </li>
        ))}
      </ol>
    </section>
  );
}
