import { useSignal } from "@preact/signals";
import { answer, api, page } from "../../ui/api/client.ts";
import { useLoad, type Loaded } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { toast } from "../../ui/feedback/toast.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { AddEntry } from "../campaigns/add-entry.tsx";
import { plain, SALES_WORDS, type EntryInput } from "../campaigns/entry.ts";
import { useRewards } from "../rewards/choices.ts";
import { RewardDialog } from "../rewards/reward-dialog.tsx";
import { sentenceOf, type Reward } from "../rewards/sentence.ts";

type PromoterCampaign = components["schemas"]["PromoterCampaign"];
type Changes = components["schemas"]["UpdatePromoterCampaignBody"];

interface JoinedDialogProps {
  /** Of the promoter campaign. */
  id: number;
  who: string;
  reload: () => Promise<void>;
  onClose: () => void;
}

/** Changes a promoter's part in a campaign: the referral id, codes, and their own rewards. */
export function JoinedDialog({ id, who, reload, onClose }: JoinedDialogProps) {
  const joined = useLoad(async (signal) => {
    const query = { ids: [id] };
    const found = await page(api.GET("/api/v2/company/promoter_campaigns", { params: { query }, signal }));
    return found.rows[0]!;
  });
  const save = async (body: Changes) => {
    const params = { path: { id } };
    await answer(api.PUT("/api/v2/company/promoter_campaigns/{id}", { params, body }));
    await Promise.all([joined.reload(), reload()]);
  };
  return (
    <Dialog title={`${who} in this campaign`} onClose={onClose}>
      <Await loaded={joined}>
        {(found) => (
          <div class="stack">
            <LinkForm joined={found} save={save} />
            <OwnRewards joined={found} who={who} save={save} />
          </div>
        )}
      </Await>
    </Dialog>
  );
}

interface PartProps {
  joined: PromoterCampaign;
  save: (body: Changes) => Promise<void>;
}

function LinkForm({ joined, save }: PartProps) {
  const form = useForm({
    ref_token: joined.ref_token,
    display_coupon: joined.display_coupon ?? "",
    coupon: joined.coupon ?? "",
  });
  return (
    <Form
      form={form}
      action="Save the link"
      onSubmit={async (body) => {
        await save(body);
        toast("The link was saved");
      }}
    >
      <TextField
        form={form}
        name="ref_token"
        label="Referral id"
        hint="The word in their link. Links with the old one stop working."
        required
      />
      <div class="grid" style={{ "--column": "12rem" }}>
        <TextField
          form={form}
          name="display_coupon"
          label="Code for customers"
          hint="What they type at the checkout."
        />
        <TextField form={form} name="coupon" label="Id of the code" hint="At your payment processor." />
      </div>
    </Form>
  );
}

/** The rewards of this promoter alone. */
function OwnRewards({ joined, who, save }: PartProps & { who: string }) {
  const rewards = useRewards("promoters");
  const { promoter_rewards_customized: isCustomized, rewards_for_promoters: entries } = joined;
  const change = (changed: EntryInput[], words: string) =>
    tell(async () => {
      await save({ rewards_for_promoters: changed });
      return words;
    });
  const reset = () =>
    tell(async () => {
      await save({ promoter_rewards_customized: false });
      return `${who} earns what the campaign pays now`;
    });
  return (
    <section class="stack" aria-label="What they earn">
      <h3>What they earn</h3>
      <p class="soft">
        {isCustomized
          ? `Rewards only for ${who}, instead of the campaign's.`
          : "What the campaign pays. Add a reward here to give them their own rewards instead."}
      </p>
      <Await loaded={rewards}>
        {(all) => (
          <>
            {entries.length === 0 && <p class="soft">Nothing.</p>}
            <Entries
              entries={entries}
              rewards={all}
              remove={(at) =>
                change(entries.filter((_, each) => each !== at).map(plain), "The reward was removed")
              }
              mayRemove={isCustomized}
            />
            <AddOwn
              rewards={rewards}
              all={all}
              add={(entry) =>
                change(
                  [...(isCustomized ? entries.map(plain) : []), entry],
                  `${who} has their own rewards now`,
                )
              }
            />
            {isCustomized && (
              <div>
                <button class="button little" onClick={() => void reset()}>
                  Pay what the campaign pays
                </button>
              </div>
            )}
          </>
        )}
      </Await>
    </section>
  );
}

function AddOwn({
  rewards,
  all,
  add,
}: {
  rewards: Loaded<Reward[]>;
  all: Reward[];
  add: (entry: EntryInput) => Promise<void>;
}) {
  const isMaking = useSignal(false);
  const addMade = async ({ id }: Reward) => {
    await rewards.reload();
    await add({ reward_id: id, apply_on: "all", product_ids: [] });
  };
  return (
    <>
      <AddEntry
        rewards={all}
        of="What they earn"
        add={(entry) => void add(entry)}
        make={() => (isMaking.value = true)}
      />
      {isMaking.value && (
        <RewardDialog reward={null} onSaved={addMade} onClose={() => (isMaking.value = false)} />
      )}
    </>
  );
}

interface EntriesProps {
  entries: PromoterCampaign["rewards_for_promoters"];
  rewards: Reward[];
  remove: (at: number) => Promise<void>;
  mayRemove: boolean;
}

function Entries({ entries, rewards, remove, mayRemove }: EntriesProps) {
  return (
    <ul class="items">
      {entries.map((entry, at) => (
        <li key={`${entry.reward_id} ${entry.apply_on}`} class="row spread">
          <div>
            <strong>{entry.reward.name}</strong>
            <div class="small soft">{meaningOf(rewards, entry)}</div>
          </div>
          {mayRemove && (
            <button class="button little" onClick={() => void remove(at)}>
              Remove<span class="unseen"> {entry.reward.name}</span>
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function meaningOf(all: Reward[], entry: PromoterCampaign["rewards_for_promoters"][number]): string {
  const reward = all.find(({ id }) => id === entry.reward_id);
  const sales = entry.products.map(({ name }) => name).join(", ") || SALES_WORDS[entry.apply_on];
  return `${reward === undefined ? "" : `${sentenceOf(reward)}. `}For ${sales}.`;
}
