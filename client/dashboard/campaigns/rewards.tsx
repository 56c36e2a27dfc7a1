import { useSignal } from "@preact/signals";
import { tell } from "../../ui/feedback/tell.ts";
import { Await } from "../../ui/feedback/state.tsx";
import { answer, api } from "../../ui/api/client.ts";
import { useRewards } from "../rewards/choices.ts";
import { Example } from "../rewards/example.tsx";
import { RewardDialog } from "../rewards/reward-dialog.tsx";
import { sentenceOf, type Reward } from "../rewards/sentence.ts";
import { may } from "../session/session.ts";
import type { CampaignViewProps } from "./campaign.tsx";
import type { Campaign } from "./choices.ts";

type Entry = Campaign["rewards_for_promoters"][number];
type Field = "rewards_for_promoters" | "rewards_for_referrals";

const SALES = [
  ["all", "all sales"],
  ["monthly", "monthly plans"],
  ["yearly", "yearly plans"],
  ["one_time", "single payments"],
] as const;
const SALES_WORDS: Record<Entry["apply_on"], string> = {
  ...Object.fromEntries(SALES),
  specific: "some products",
} as Record<Entry["apply_on"], string>;

/** What a campaign gives to promoters and to their customers. */
export function CampaignRewards(props: CampaignViewProps) {
  return (
    <div class="stack wide">
      <RewardList {...props} field="rewards_for_promoters" title="What promoters get" scope="promoters" />
      {props.campaign.rewards_for_promoters.length > 0 && (
        <section class="card">
          <h2>An example</h2>
          <Example entries={props.campaign.rewards_for_promoters.map(plain)} />
        </section>
      )}
      <RewardList
        {...props}
        field="rewards_for_referrals"
        title="What the people get whom they send"
        scope="referrals"
      />
    </div>
  );
}

function RewardList({
  campaign,
  reload,
  field,
  title,
  scope,
}: CampaignViewProps & { field: Field; title: string; scope: "promoters" | "referrals" }) {
  const rewards = useRewards(scope);
  const isAdding = useSignal(false);
  const entries = campaign[field];
  const save = (changed: ReturnType<typeof plain>[], words: string) =>
    tell(async () => {
      const body = { [field]: changed };
      await answer(
        api.PUT("/api/v2/company/campaigns/{id}", { params: { path: { id: campaign.id } }, body }),
      );
      await reload();
      return words;
    });
  return (
    <section class="card stack">
      <h2>{title}</h2>
      <Await loaded={rewards}>
        {(all) => (
          <>
            {entries.length === 0 && <p class="soft">Nothing yet.</p>}
            <ul class="items">
              {entries.map((entry, at) => (
                <li key={`${entry.reward_id} ${entry.apply_on}`} class="row spread">
                  <EntryWords entry={entry} reward={all.find(({ id }) => id === entry.reward_id)} />
                  {may("manager") && (
                    <button
                      class="button little"
                      onClick={() =>
                        save(entries.filter((_, each) => each !== at).map(plain), "The reward was taken out")
                      }
                    >
                      Take out<span class="unseen"> {entry.reward.name}</span>
                    </button>
                  )}
                </li>
              ))}
            </ul>
            {may("manager") && (
              <AddEntry
                rewards={all}
                of={title}
                add={(entry) => save([...entries.map(plain), entry], "The reward was added")}
                make={() => (isAdding.value = true)}
              />
            )}
          </>
        )}
      </Await>
      {isAdding.value && (
        <RewardDialog reward={null} reload={rewards.reload} onClose={() => (isAdding.value = false)} />
      )}
    </section>
  );
}

function EntryWords({ entry, reward }: { entry: Entry; reward: Reward | undefined }) {
  const products = entry.products.map(({ name }) => name).join(", ");
  return (
    <div>
      <strong>{entry.reward.name}</strong>
      <div class="small soft">
        {reward && `${sentenceOf(reward)}. `}For {products || SALES_WORDS[entry.apply_on]}.
      </div>
    </div>
  );
}

function AddEntry({
  rewards,
  of,
  add,
  make,
}: {
  rewards: Reward[];
  of: string;
  add: (entry: ReturnType<typeof plain>) => void;
  make: () => void;
}) {
  const rewardId = useSignal("");
  const applyOn = useSignal<Entry["apply_on"]>("all");
  return (
    <div class="row">
      <select
        class="input auto"
        aria-label={`Reward to add to: ${of}`}
        value={rewardId.value}
        onChange={(event) => (rewardId.value = event.currentTarget.value)}
      >
        <option value="">Choose a reward…</option>
        {rewards.map(({ id, name }) => (
          <option key={id} value={String(id)}>
            {name}
          </option>
        ))}
      </select>
      <select
        class="input auto"
        aria-label={`Sales that it is for, in: ${of}`}
        value={applyOn.value}
        onChange={(event) => (applyOn.value = event.currentTarget.value as Entry["apply_on"])}
      >
        {SALES.map(([value, words]) => (
          <option key={value} value={value}>
            for {words}
          </option>
        ))}
      </select>
      <button
        class="button"
        disabled={rewardId.value === ""}
        onClick={() => {
          add({ reward_id: Number(rewardId.value), apply_on: applyOn.value, product_ids: [] });
          rewardId.value = "";
        }}
      >
        Add it
      </button>
      <button class="button plain" onClick={make}>
        Make a new reward
      </button>
    </div>
  );
}

/** An entry as the interface takes it. */
function plain({ reward_id, apply_on, product_ids }: Pick<Entry, "reward_id" | "apply_on" | "product_ids">) {
  return { reward_id, apply_on, product_ids };
}
