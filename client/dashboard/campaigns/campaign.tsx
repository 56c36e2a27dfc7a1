import { useLocation, useRoute } from "preact-iso/router";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { ask } from "../../ui/feedback/dialog.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { Tabs } from "../../ui/feedback/tabs.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { useFilters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { may } from "../session/session.ts";
import type { Campaign } from "./choices.ts";
import { CampaignEmails } from "./emails.tsx";
import { CampaignRewards } from "./rewards.tsx";
import { CampaignSettings } from "./settings.tsx";
import { SignupPageSettings } from "./signup-page.tsx";
import { PromotersView } from "./promoters-view.tsx";
import { at } from "../../ui/base.ts";

/** The props of each tab of a campaign. */
export interface CampaignViewProps {
  campaign: Campaign;
  reload: () => Promise<void>;
}

/** `/admin/campaigns/:id` */
export function CampaignPage() {
  const id = Number(useRoute().params["id"]);
  const loaded = useLoad(
    (signal) => answer(api.GET("/api/v2/company/campaigns/{id}", { params: { path: { id } }, signal })),
    [id],
  );
  const campaign = loaded.data.value;
  return (
    <Page
      title={campaign?.name ?? "Campaign"}
      actions={campaign && !campaign.is_default && may("manager") && <Delete campaign={campaign} />}
    >
      <Await loaded={loaded}>{(campaign) => <Views campaign={campaign} reload={loaded.reload} />}</Await>
    </Page>
  );
}

function Views(props: CampaignViewProps) {
  const filters = useFilters({ tab: "view" });
  return (
    <Tabs
      label="About this campaign"
      shown={filters.values.value.tab}
      onShow={(tab) => filters.set({ tab })}
      tabs={[
        { id: "view", title: "What promoters see", panel: () => <PromotersView {...props} /> },
        { id: "settings", title: "Settings", panel: () => <CampaignSettings {...props} /> },
        { id: "rewards", title: "Rewards", panel: () => <CampaignRewards {...props} /> },
        { id: "emails", title: "E-mails", panel: () => <CampaignEmails {...props} /> },
        { id: "signup", title: "Sign-up page", panel: () => <SignupPageSettings {...props} /> },
      ]}
    />
  );
}

function Delete({ campaign: { id, name } }: { campaign: Campaign }) {
  const { route } = useLocation();
  const remove = async () => {
    const text = "A campaign with promoters, leads or sales can't be deleted.";
    if (!(await ask({ title: `Delete ${name}`, text, action: `Delete ${name}`, isDanger: true }))) return;
    await tell(async () => {
      await answer(api.DELETE("/api/v2/company/campaigns/{id}", { params: { path: { id } } }));
      route(at("/admin/campaigns"));
      return `${name} was deleted`;
    });
  };
  return (
    <button class="button danger" onClick={remove}>
      Delete
    </button>
  );
}
