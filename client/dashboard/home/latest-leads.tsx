import { ago, dateTime } from "../../ui/format.ts";
import { LeadState } from "../leads/summary.tsx";
import { leadName } from "../leads/words.ts";
import type { HomeAnswer } from "./home-answer.ts";

type Lead = HomeAnswer["latest_referrals"][number];

/** The newest leads. */
export function LatestLeads({ leads }: { leads: Lead[] }) {
  return (
    <section class="card">
      <div class="row spread card-head">
        <h2>Latest leads</h2>
        <a href="/admin/leads">All leads</a>
      </div>
      {leads.length === 0 && <p class="soft">No lead has signed up yet.</p>}
      <ul class="plain-list">
        {leads.map((lead) => (
          <li key={lead.id}>
            <span>
              <a class="one-line" href={`/admin/leads/${lead.id}`}>
                {leadName(lead)}
              </a>
              <span class="small soft one-line">
                by {lead.promoter_campaign.promoter?.name ?? "a deleted promoter"} ·{" "}
                <time dateTime={lead.created_at} title={dateTime(lead.created_at)}>
                  {ago(lead.created_at)}
                </time>
              </span>
            </span>
            <LeadState lead={lead} />
          </li>
        ))}
      </ul>
    </section>
  );
}
