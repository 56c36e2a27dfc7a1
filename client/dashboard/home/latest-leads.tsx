import { Badge, type Tone } from "../../ui/feedback/badge.tsx";
import { ago, dateTime } from "../../ui/format.ts";
import type { HomeAnswer } from "./home-answer.ts";

type Lead = HomeAnswer["latest_referrals"][number];

/** A state in words, and what it means. */
const STATES: Record<Lead["state"], [words: string, tone: Tone]> = {
  signup: ["Signed up", "quiet"],
  active: ["Customer", "good"],
  subscribed: ["Subscribed", "good"],
  cancelled: ["Cancelled", "quiet"],
  denied: ["Denied", "bad"],
  refunded: ["Refunded", "bad"],
  pending: ["Waiting", "warn"],
};

/** The newest leads. */
export function LatestLeads({ leads }: { leads: Lead[] }) {
  return (
    <section class="card">
      <div class="row spread card-head">
        <h2>Latest leads</h2>
        <a href="/admin/leads">All leads</a>
      </div>
      {leads.length === 0 && <p class="soft">Nobody has signed up yet.</p>}
      <ul class="plain-list">
        {leads.map((lead) => (
          <li key={lead.id}>
            <span>
              <a class="one-line" href={`/admin/leads/${lead.id}`}>
                {lead.email ?? lead.uid ?? lead.username ?? `Lead ${lead.id}`}
              </a>
              <span class="small soft one-line">
                by {lead.promoter_campaign.promoter?.name ?? "a promoter who is gone"} ·{" "}
                <time dateTime={lead.created_at} title={dateTime(lead.created_at)}>
                  {ago(lead.created_at)}
                </time>
              </span>
            </span>
            <span class="row">
              {lead.fraud_check !== "no_suspicion" && <Badge tone="warn">Suspicious</Badge>}
              <Badge tone={STATES[lead.state][1]}>{STATES[lead.state][0]}</Badge>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
