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
import { plain, SALES_WORDS, type Entry, type EntryInput } from "./entry.ts";
import { AddEntry } from "./add-entry.tsx";

type Field = "rewards_for_promoters" | "rewards_for_referrals";

const NOTHING = {
  promoters: "Nothing yet: sales earn nothing.",
  referrals: "Nothing yet: people who follow a promoter's link pay the usual price.",
};

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
        title="What their customers get"
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
  const isSaving = useSignal(false);
  const entries = campaign[field];
  const save = async (changed: EntryInput[], words: string, of: Field = field) => {
    // The whole list is sent. Until it is loaded again, this one still contains the removed entry.
    if (isSaving.peek()) return;
    isSaving.value = true;
    await tell(async () => {
      const body = { [of]: changed };
      await answer(
        api.PUT("/api/v2/company/campaigns/{id}", { params: { path: { id: campaign.id } }, body }),
      );
      await reload();
      return words;
    });
    isSaving.value = false;
  };
  // The dialog may have been opened for promoters, but the new reward is for their customers.
  const addMade = async ({ id, is_promoter_reward: isForPromoters }: Reward) => {
    await rewards.reload();
    const of = isForPromoters ? "rewards_for_promoters" : "rewards_for_referrals";
    const entry: EntryInput = { reward_id: id, apply_on: "all", product_ids: [] };
    await save([...campaign[of].map(plain), entry], `The reward is in ${campaign.name} now`, of);
  };
  return (
    <section class="card stack" aria-label={title}>
      <h2>{title}</h2>
      <Await loaded={rewards}>
        {(all) => (
          <>
            {entries.length === 0 && <p class="soft">{NOTHING[scope]}</p>}
            <Entries
              entries={entries}
              rewards={all}
              remove={(at) =>
                save(
                  entries.filter((_, each) => each !== at).map(plain),
                  "The reward was removed from the campaign",
                )
              }
            />
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
        <RewardDialog reward={null} onSaved={addMade} onClose={() => (isAdding.value = false)} />
      )}
    </section>
  );
}

interface EntriesProps {
  entries: Entry[];
  rewards: Reward[];
  remove: (at: number) => Promise<void>;
}

function Entries({ entries, rewards, remove }: EntriesProps) {
  if (entries.length === 0) return null;
  return (
    <ul class="items">
      {entries.map((entry, at) => (
        <EntryItem
          key={`${entry.reward_id} ${entry.apply_on}`}
          entry={entry}
          reward={rewards.find(({ id }) => id === entry.reward_id)}
          remove={() => remove(at)}
        />
      ))}
    </ul>
  );
}

interface EntryItemProps {
  entry: Entry;
  reward: Reward | undefined;
  remove: () => Promise<void>;
}

function EntryItem({ entry, reward, remove }: EntryItemProps) {
  const products = entry.products.map(({ name }) => name).join(", ");
  return (
    <li class="row spread">
      <div>
        <strong>{entry.reward.name}</strong>
        <div class="small soft">
          {reward && `${sentenceOf(reward)}. `}For {products || SALES_WORDS[entry.apply_on]}.
        </div>
      </div>
      {may("manager") && (
        <button class="button little" onClick={remove}>
          Remove<span class="unseen"> {entry.reward.name}</span>
        </button>
      )}
    </li>
  );
}
