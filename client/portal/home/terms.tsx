import type { components } from "../../ui/api/types.ts";
import { useLoad } from "../../ui/api/load.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { count, money } from "../../ui/format.ts";
import { Offer } from "../../ui/offer.tsx";
import { loadJoined } from "../campaigns/joined.ts";
import { t } from "../../languages/messages.ts";

type Goal = components["schemas"]["PortalGoal"];

/** What each campaign pays, and the progress towards its targets. */
export function Terms() {
  const loaded = useLoad(loadJoined);
  return (
    <Await loaded={loaded}>
      {(rows) => (
        <div class="grid">
          {rows.map(({ id, campaign, offer, goals }) => (
            <section key={id} class="card stack" aria-label={t("home.terms.of", { campaign: campaign.name })}>
              <h2>{campaign.name}</h2>
              <Offer lines={offer} title={t("home.terms")} />
              {goals.map((goal) => (
                <GoalBar key={`${goal.reward_id} ${goal.metric}`} goal={goal} />
              ))}
            </section>
          ))}
        </div>
      )}
    </Await>
  );
}

function GoalBar({ goal }: { goal: Goal }) {
  const { gives, metric, reached, needed, is_reached: isReached } = goal;
  const [goalWords, progress] =
    metric === "customers"
      ? [
          t("goal.customers", { gives, needed }),
          t("goal.customers.reached", { reached: count(reached), needed }),
        ]
      : [
          t("goal.revenue", { gives, needed: money(needed) }),
          t("goal.revenue.reached", { reached: money(reached), needed: money(needed) }),
        ];
  return (
    <div class="stack tight">
      <div class="row spread">
        <span>{goalWords}</span>
        {isReached ? (
          <Badge tone="good">{t("goal.reached")}</Badge>
        ) : (
          <span class="small soft">{progress}</span>
        )}
      </div>
      {!isReached && (
        <progress
          class="bar"
          aria-label={t("goal.bar", { gives, progress })}
          max={needed}
          value={Math.max(0, Math.min(reached, needed))}
        />
      )}
    </div>
  );
}
