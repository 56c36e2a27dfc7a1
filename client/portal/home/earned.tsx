import type { ComponentChildren } from "preact";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Await } from "../../ui/feedback/state.tsx";
import { date, money } from "../../ui/format.ts";
import { t } from "../../languages/messages.ts";

/** The promoter's balances, from pending to paid. */
export function Earned() {
  const loaded = useLoad(async () => {
    const [current, due] = await Promise.all([
      answer(api.GET("/api/v2/affiliate/promoters/current")),
      answer(api.GET("/api/v2/affiliate/payouts/due_stats")),
    ]);
    return { current, due };
  });
  return (
    <section aria-label={t("earned")}>
      <Await loaded={loaded}>
        {({ current: { balances, selected_payout_method: method }, due: { meta, data } }) => (
          <div class="stack">
            <dl class="grid tiles">
              <Tile name={t("earned.waiting")} figure={money(balances.pending_balance.cash)} />
              <Tile name={t("earned.approved")} figure={money(balances.current_balance.cash)} />
              <Tile
                name={t(isDue(data.overdue) ? "earned.due" : "earned.due_next")}
                figure={money(firstDue(data)?.total_incl_tax ?? 0)}
                note={dueNote(firstDue(data), meta.min_payment)}
              />
              <Tile name={t("earned.paid")} figure={money(balances.paid_balance.cash)} />
            </dl>
            {method === null && (
              <p class="notice warn">
                {t("earned.no_method")}
                <a class="button little" href="/portal/settings#tab=payout">
                  {t("earned.choose_method")}
                </a>
              </p>
            )}
          </div>
        )}
      </Await>
    </section>
  );
}

function Tile({ name, figure, note }: { name: string; figure: string; note?: ComponentChildren }) {
  return (
    <div class="card tile">
      <dt class="small soft">{name}</dt>
      <dd>
        <span class="figure">{figure}</span>
        {note && <span class="small soft">{note}</span>}
      </dd>
    </div>
  );
}

type DueStats = components["schemas"]["DueStats"]["data"];

function isDue({ promoters_count: count }: DueStats["next"]): boolean {
  return count > 0;
}

/** The first due payouts: overdue, next, or without a fixed date. */
function firstDue({ overdue, next, custom }: DueStats) {
  return [overdue, next, { ...custom, due_date: null }].find(isDue);
}

function dueNote(due: { due_date: string | null } | undefined, least: number): string {
  if (due)
    return due.due_date === null ? t("earned.own_terms") : t("earned.by", { date: date(due.due_date) });
  return least > 0 ? t("earned.from", { amount: money(least) }) : t("earned.nothing");
}
