import type { components } from "../../ui/api/types.ts";
import { useLoad } from "../../ui/api/load.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { count, money } from "../../ui/format.ts";
import { Offer } from "../../ui/offer.tsx";
import { loadJoined } from "../campaigns/joined.ts";

type Goal = components["schemas"]["PortalGoal"];

/** What each campaign pays, and the progress towards its targets. */
export function Terms() {
  const loaded = useLoad(loadJoined);
  return (
    <Await loaded={loaded}>
      {(rows) => (
        <div class="grid">
          {rows.map(({ id, campaign, offer, goals }) => (
            <section key={id} class="card stack" aria-label={`What you earn in ${campaign.name}`}>
              <h2>{campaign.name}</h2>
              <Offer lines={offer} title="What you earn" />
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
  const words =
    metric === "customers"
      ? `${count(reached)} of ${count(needed)} customers`
      : `${money(reached)} of ${money(needed)} revenue`;
  return (
    <div class="stack tight">
      <div class="row spread">
        <span>
          {gives} for {metric === "customers" ? `${count(needed)} customers` : `${money(needed)} of revenue`}
        </span>
        {isReached ? <Badge tone="good">Reached</Badge> : <span class="small soft">{words}</span>}
      </div>
      {!isReached && (
        <progress
          class="bar"
          aria-label={`${gives}: ${words}`}
          max={needed}
          value={Math.max(0, Math.min(reached, needed))}
        />
      )}
    </div>
  );
}
