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
import { stateWords } from "../words.ts";
import { takeInvitation, type Invitation } from "./invitation.ts";
import { JoinForm } from "./join-form.tsx";
import { t } from "../../languages/messages.ts";

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
    <Page title={t("page.campaigns")}>
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
              <Empty title={t("campaigns.none")}>
                <p>{t("campaigns.none.text")}</p>
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
              toast(t(state === "accepted" ? "campaigns.joined" : "campaigns.applied"));
              void campaigns.reload();
            }}
          />
        </Dialog>
      )}
    </Page>
  );
}

function CampaignCard({ campaign, onJoin }: { campaign: Campaign; onJoin: () => void }) {
  const { name, state, description, terms, needs_approval: needsApproval } = campaign;
  return (
    <li class="card stack tight">
      <div class="row spread">
        <h2>{name}</h2>
        {state !== null && <Badge {...stateWords(state)} />}
      </div>
      {description !== null && <p>{description}</p>}
      <Offer lines={campaign.offer} title={t(state === "accepted" ? "home.terms" : "campaigns.would_earn")} />
      {state !== null && terms !== null && (
        <details>
          <summary>{t("terms")}</summary>
          <p class="terms">{terms}</p>
        </details>
      )}
      {state === null && (
        <div>
          <button
            class="button"
            aria-label={t(needsApproval ? "campaigns.apply_to" : "campaigns.join", { campaign: name })}
            onClick={onJoin}
          >
            {t(needsApproval ? "join.apply" : "join.join")}
          </button>
        </div>
      )}
    </li>
  );
}
