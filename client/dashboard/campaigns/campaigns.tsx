import { useSignal } from "@preact/signals";
import { api, page } from "../../ui/api/client.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { CopyButton } from "../../ui/feedback/copy.tsx";
import { Empty } from "../../ui/feedback/state.tsx";
import { count, money } from "../../ui/format.ts";
import { useFilters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { PAGE_LENGTH, useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { may } from "../session/session.ts";
import type { Campaign } from "./choices.tsx";
import { NewCampaign } from "./new-campaign.tsx";

const COLUMNS: Column<Campaign>[] = [
  { id: "name", title: "Campaign", cell: (campaign) => <Name campaign={campaign} /> },
  { id: "rewards", title: "Promoters get", isText: true, cell: rewardNames },
  { id: "promoters", title: "Promoters", isNumber: true, cell: ({ stats }) => count(stats.promoters_count) },
  { id: "leads", title: "Leads", isNumber: true, cell: ({ stats }) => count(stats.referrals_count) },
  { id: "customers", title: "Customers", isNumber: true, cell: ({ stats }) => count(stats.customers_count) },
  { id: "revenue", title: "Revenue", isNumber: true, cell: ({ stats }) => money(stats.revenue_amount) },
  {
    id: "signup",
    title: "Sign-up page",
    cell: ({ name, signup_url: url }) => (
      <span class="no-wrap">
        <a href={url} target="_blank" rel="noopener">
          Open
        </a>{" "}
        <CopyButton text={url} of={`the sign-up page of ${name}`} />
      </span>
    ),
  },
];

/** `/admin/campaigns` */
export function Campaigns() {
  const filters = useFilters({ page: "1", sort: "" });
  const list = useList(filters, ({ number }, signal) => {
    const query = { page: number, per_page: PAGE_LENGTH };
    return page(api.GET("/api/v2/company/campaigns", { params: { query }, signal }));
  });
  const isAdding = useSignal(false);
  return (
    <Page
      title="Campaigns"
      actions={
        may("manager") && (
          <button class="button main" onClick={() => (isAdding.value = true)}>
            Add a campaign
          </button>
        )
      }
    >
      <Table caption="Campaigns" columns={COLUMNS} list={list} empty={<Empty title="No campaigns yet" />} />
      {isAdding.value && <NewCampaign onClose={() => (isAdding.value = false)} />}
    </Page>
  );
}

function Name({ campaign }: { campaign: Campaign }) {
  return (
    <div class="named">
      <span class="dot" style={{ background: campaign.color }} />{" "}
      <a href={`/admin/campaigns/${campaign.id}`}>{campaign.name}</a>{" "}
      {campaign.is_default && <Badge tone="good">Default</Badge>}{" "}
      {campaign.is_private && <Badge>By invitation</Badge>}
      <small class="one-line faint">{campaign.landing_url}</small>
    </div>
  );
}

function rewardNames({ rewards_for_promoters: entries }: Campaign) {
  return entries.length === 0 ? (
    <Badge tone="warn">Nothing yet</Badge>
  ) : (
    entries.map((each) => each.reward.name).join(", ")
  );
}
