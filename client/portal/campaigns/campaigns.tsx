import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, page } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { asRefusal } from "../../ui/api/refusal.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Await, Empty } from "../../ui/feedback/state.tsx";
import { toast, toastRefusal } from "../../ui/feedback/toast.tsx";
import { Offer } from "../../ui/offer.tsx";
import { Page } from "../../ui/shell/page.tsx";
import { STATES } from "../words.ts";
import { takeInvitation, type Invitation } from "./invitation.ts";
import { JoinForm } from "./join-form.tsx";

type Campaign = components["schemas"]["PortalCampaign"];

/** The promoter's campaigns, and those that they can join. */
export function Campaigns() {
  const campaigns = useLoad(() =>
    page(api.GET("/api/v2/affiliate/campaigns", { params: { query: { per_page: 100 } } })),
  );
  const joining = useSignal<Invitation | null>(null);
  useEffect(() => {
    takeInvitation().then(
      (invited) => (joining.value ??= invited),
      (error: unknown) => toastRefusal(asRefusal(error)),
    );
  }, []);
  return (
    <Page title="Campaigns">
      <Await loaded={campaigns}>
        {({ rows }) => (
          <ul class="grid">
            {rows.map((campaign) => (
              <CampaignCard
                key={campaign.id}
                campaign={campaign}
                onJoin={() => (joining.value = { campaign, invitation: null })}
              />
            ))}
            {rows.length === 0 && (
              <Empty title="There are no campaigns yet">
                <p>Campaigns that you can join appear here.</p>
              </Empty>
            )}
          </ul>
        )}
      </Await>
      {joining.value && (
        <Dialog title={joining.value.campaign.name} onClose={() => (joining.value = null)}>
          <JoinForm
            {...joining.value}
            onJoined={(state) => {
              joining.value = null;
              toast(
                state === "accepted"
                  ? "You have joined. Your link is under “Links and codes”."
                  : "We will look at it.",
              );
              void campaigns.reload();
            }}
          />
        </Dialog>
      )}
    </Page>
  );
}

function CampaignCard({ campaign, onJoin }: { campaign: Campaign; onJoin: () => void }) {
  const { name, state, description, needs_approval: needsApproval } = campaign;
  return (
    <li class="card stack tight">
      <div class="row spread">
        <h2>{name}</h2>
        {state !== null && <Badge {...STATES[state]} />}
      </div>
      {description !== null && <p>{description}</p>}
      <Offer lines={campaign.offer} title={state === "accepted" ? "What you earn" : "What you would earn"} />
      {state === null && (
        <div>
          <button class="button main" onClick={onJoin}>
            {needsApproval ? "Apply" : "Join"}
            <span class="unseen">
              {needsApproval ? " to " : " "}
              {name}
            </span>
          </button>
        </div>
      )}
    </li>
  );
}
