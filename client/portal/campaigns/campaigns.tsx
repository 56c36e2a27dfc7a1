import { useSignal } from "@preact/signals";
import { api, page } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Await, Empty } from "../../ui/feedback/state.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { Page } from "../../ui/shell/page.tsx";
import { STATES } from "../words.ts";
import { JoinForm } from "./join-form.tsx";

type Campaign = components["schemas"]["PortalCampaign"];

/** The promoter's campaigns, and those that they can join. */
export function Campaigns() {
  const campaigns = useLoad(() =>
    page(api.GET("/api/v2/affiliate/campaigns", { params: { query: { per_page: 100 } } })),
  );
  const joining = useSignal<Campaign | null>(null);
  return (
    <Page title="Campaigns">
      <Await loaded={campaigns}>
        {({ rows }) => (
          <ul class="grid">
            {rows.map((campaign) => (
              <li key={campaign.id} class="card stack tight">
                <div class="row spread">
                  <h2>{campaign.name}</h2>
                  {campaign.state !== null && <Badge {...STATES[campaign.state]} />}
                </div>
                {campaign.description !== null && <p>{campaign.description}</p>}
                {campaign.state === null && (
                  <div>
                    <button class="button main" onClick={() => (joining.value = campaign)}>
                      {campaign.needs_approval ? `Apply to ${campaign.name}` : `Join ${campaign.name}`}
                    </button>
                  </div>
                )}
              </li>
            ))}
            {rows.length === 0 && <Empty title="There are no campaigns yet" />}
          </ul>
        )}
      </Await>
      {joining.value && (
        <Dialog title={joining.value.name} onClose={() => (joining.value = null)}>
          <JoinForm
            campaign={joining.value}
            onJoined={(state) => {
              joining.value = null;
              toast(
                state === "accepted"
                  ? "You are in. Your link is under “Links and codes”."
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
