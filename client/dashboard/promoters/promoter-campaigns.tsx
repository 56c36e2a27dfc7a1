import { useSignal } from "@preact/signals";
import { these } from "../../ui/batch/selection.ts";
import { Copyable } from "../../ui/feedback/copy.tsx";
import { Empty } from "../../ui/feedback/state.tsx";
import { date } from "../../ui/format.ts";
import { lazy } from "../../ui/shell/lazy.tsx";
import { may } from "../session/session.ts";
import { ActionDialog } from "./action-dialog.tsx";
import type { ActionName } from "./batches.ts";
import type { Promoter, PromoterCampaignState } from "./words.ts";
import { StateBadge } from "./summary.tsx";

const JoinedDialog = lazy(async () => (await import("./joined-dialog.tsx")).JoinedDialog, null);

type PromoterCampaign = Promoter["promoter_campaigns"][number];

/** The actions in each state. */
const OFFERED: Record<PromoterCampaignState, ActionName[]> = {
  pending: ["accept", "reject"],
  accepted: ["block"],
  rejected: ["accept"],
  blocked: ["accept"],
  inactive: ["accept", "block"],
};
const WORDS: Partial<Record<ActionName, string>> = { accept: "Accept", reject: "Reject", block: "Block" };

/** The campaigns that a promoter is in, with their links. */
export function PromoterCampaigns({ promoter, reload }: { promoter: Promoter; reload: () => Promise<void> }) {
  const edited = useSignal<number | null>(null);
  const asked = useSignal<{ name: ActionName; campaignId: number } | null>(null);
  const { id, name, promoter_campaigns: joined } = promoter;
  return (
    <section class="card">
      <h2>Campaigns and links</h2>
      {joined.length === 0 && (
        <Empty title="In no campaign">
          <p>
            Without one, they have no link. Add them to one in the list of promoters, or let them join one in
            their portal.
          </p>
        </Empty>
      )}
      <ul class="items">
        {joined.map((each) => (
          <Joined
            key={each.id}
            joined={each}
            act={(name) => (asked.value = { name, campaignId: each.campaign_id })}
            edit={() => (edited.value = each.id)}
          />
        ))}
      </ul>
      {edited.value !== null && (
        <JoinedDialog id={edited.value} who={name} reload={reload} onClose={() => (edited.value = null)} />
      )}
      {asked.value && (
        <ActionDialog
          name={asked.value.name}
          records={these([id])}
          who={name}
          campaigns={[]}
          campaignId={String(asked.value.campaignId)}
          onClose={() => (asked.value = null)}
          onBegin={() => {}}
          reload={reload}
        />
      )}
    </section>
  );
}

interface JoinedProps {
  joined: PromoterCampaign;
  act: (name: ActionName) => void;
  edit: () => void;
}

function Joined({ joined, act, edit }: JoinedProps) {
  const { campaign, campaign_id: campaignId, state, ref_link: link, coupon, created_at: at } = joined;
  return (
    <li class="stack tight">
      <div class="row spread">
        <span class="row">
          <a href={`/admin/campaigns/${campaignId}`}>{campaign.name}</a>
          <StateBadge state={state} />
          <small class="faint">since {date(at)}</small>
        </span>
        {may("manager") && (
          <span class="row">
            <button class="button little" onClick={edit}>
              Link and rewards<span class="unseen"> in {campaign.name}</span>
            </button>
            {OFFERED[state].map((name) => (
              <button key={name} class="button little" onClick={() => act(name)}>
                {WORDS[name]}
              </button>
            ))}
          </span>
        )}
      </div>
      <Copyable text={link} of="the link" />
      {coupon && <Copyable text={coupon} of="the coupon" />}
    </li>
  );
}
