import { Badge, StateBadge } from "../../ui/feedback/badge.tsx";
import { LongName } from "../../ui/long-text.tsx";
import { SUSPICIONS } from "../suspicions.ts";
import { leadName, STATES, type Lead } from "./words.ts";

/** A lead's name as a link to its page, above its id at the company. */
export function LeadName({ lead }: { lead: Lead }) {
  const name = leadName(lead);
  const { uid } = lead;
  return (
    <div class="named mailed">
      <a class="one-line" href={`/admin/leads/${lead.id}`}>
        <LongName text={name} />
      </a>
      {uid !== null && uid !== name && <small class="one-line faint">{uid}</small>}
    </div>
  );
}

/** A lead's state, the company's own status, and whether it is suspicious. */
export function LeadState({ lead: { state, custom_status: own, fraud_check: suspicion } }: { lead: Lead }) {
  return (
    <span class="row tight">
      <StateBadge of={STATES[state]} />
      {own !== null && <Badge>{own}</Badge>}
      {suspicion !== "no_suspicion" && (
        <span title={SUSPICIONS[suspicion].words}>
          <Badge tone="warn">{SUSPICIONS[suspicion].short}</Badge>
        </span>
      )}
    </span>
  );
}
