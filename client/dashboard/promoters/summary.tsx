import { Badge } from "../../ui/feedback/badge.tsx";
import { several } from "../../ui/format.ts";
import { LongName } from "../../ui/long-text.tsx";
import { SUSPICIONS } from "../suspicions.ts";
import { STATES, type Promoter, type PromoterCampaignState } from "./words.ts";

/** A promoter's name as a link to their page, above their address. */
export function PromoterName({
  promoter: { id, name, email },
}: {
  promoter: Pick<Promoter, "id" | "name" | "email">;
}) {
  return (
    <div class="named">
      <a class="one-line" href={`/admin/promoters/${id}`}>
        {name}
      </a>
      {name !== email && (
        <small class="one-line faint">
          <LongName text={email} />
        </small>
      )}
    </div>
  );
}

/** A promoter's states, and whether they are suspicious. */
export function PromoterStates({ promoter }: { promoter: Promoter }) {
  const states = promoter.promoter_campaigns.map(({ state }) => state);
  return (
    <span class="row tight">
      {promoter.archived_at !== null && <Badge>Archived</Badge>}
      {!promoter.is_confirmed && (
        <span title="This person has not opened the link in the e-mail yet, and gets no other e-mail until then.">
          <Badge>Unconfirmed</Badge>
        </span>
      )}
      {[...new Set(states)].map((state) => (
        <StateBadge key={state} state={state} />
      ))}
      {promoter.fraud_suspicions.length > 0 && (
        <span title={promoter.fraud_suspicions.map((each) => SUSPICIONS[each].words).join(", ")}>
          <Badge tone="warn">{several(promoter.fraud_suspicions.length, "suspicion")}</Badge>
        </span>
      )}
    </span>
  );
}

/** The state of a promoter in a campaign. */
export function StateBadge({ state }: { state: PromoterCampaignState }) {
  const { words, tone } = STATES[state];
  return <Badge tone={tone}>{words}</Badge>;
}
