import { useSignal } from "@preact/signals";
import { api, page } from "../../ui/api/client.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { Empty } from "../../ui/feedback/state.tsx";
import { date } from "../../ui/format.ts";
import { useFilters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { Choose } from "../../ui/table/filters.tsx";
import { PAGE_LENGTH, useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { may } from "../session/session.ts";
import { RewardDialog } from "./reward-dialog.tsx";
import { sentenceOf, type Reward } from "./sentence.ts";

const SCOPES = [
  ["", "For everybody"],
  ["promoters", "For promoters"],
  ["referrals", "For their customers"],
] as const;

const columns = (edit: (reward: Reward) => void): Column<Reward>[] => [
  {
    id: "name",
    title: "Reward",
    isText: true,
    cell: (reward) =>
      may("manager") ? (
        <button class="link" onClick={() => edit(reward)}>
          {reward.name}
        </button>
      ) : (
        reward.name
      ),
  },
  { id: "sentence", title: "What it gives", isText: true, cell: (reward) => sentenceOf(reward) },
  { id: "hidden", title: "Shown to promoters", cell: (reward) => <Shown reward={reward} /> },
  { id: "changed", title: "Changed", cell: ({ updated_at: at }) => <span class="one-line">{date(at)}</span> },
];

/** `/admin/rewards` */
export function Rewards() {
  const filters = useFilters({ scope: "", page: "1", sort: "" });
  const list = useList(filters, ({ number, scope }, signal) => {
    const query = {
      page: number,
      per_page: PAGE_LENGTH,
      ...(scope && { scope: scope as "promoters" | "referrals" }),
    };
    return page(api.GET("/api/v2/company/rewards", { params: { query }, signal }));
  });
  const edited = useSignal<Reward | "new" | null>(null);
  const add = () => (edited.value = "new");
  return (
    <Page
      title="Rewards"
      actions={
        may("manager") && (
          <button class="button main" onClick={add}>
            Add a reward
          </button>
        )
      }
    >
      <div class="table-tools">
        <Choose filters={filters} name="scope" label="Whose rewards" options={SCOPES} />
      </div>
      <Table
        caption="Rewards"
        columns={columns((reward) => (edited.value = reward))}
        list={list}
        empty={<NoRewards add={add} />}
      />
      {edited.value && (
        <RewardDialog
          reward={edited.value === "new" ? null : edited.value}
          onSaved={list.reload}
          onClose={() => (edited.value = null)}
        />
      )}
    </Page>
  );
}

function NoRewards({ add }: { add: () => void }) {
  return (
    <Empty title="No rewards yet">
      <p>A reward says what a sale earns. Add one, then choose it in a campaign.</p>
      {may("manager") && (
        <button class="button" onClick={add}>
          Add a reward
        </button>
      )}
    </Empty>
  );
}

function Shown({ reward: { hide_reward: isHidden } }: { reward: Reward }) {
  return isHidden ? <Badge>Hidden</Badge> : <Badge tone="good">Shown</Badge>;
}
