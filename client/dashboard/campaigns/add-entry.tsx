import { useSignal, type Signal } from "@preact/signals";
import { useProducts } from "../rewards/choices.ts";
import type { Reward } from "../rewards/sentence.ts";
import { SALES, type Entry, type EntryInput } from "./entry.ts";

interface AddEntryProps {
  rewards: Reward[];
  /** The name of the list. */
  of: string;
  add: (entry: EntryInput) => void;
  /** Opens the dialog for a new reward. */
  make: () => void;
}

/** Chooses a reward for a campaign, and the sales that it is for. */
export function AddEntry({ rewards, of, add, make }: AddEntryProps) {
  const rewardId = useSignal("");
  const applyOn = useSignal<Entry["apply_on"]>("all");
  const productIds = useSignal<number[]>([]);
  const isSpecific = applyOn.value === "specific";
  if (rewards.length === 0) {
    return (
      <div>
        <button class="button" onClick={make}>
          Make a reward<span class="unseen"> for: {of}</span>
        </button>
      </div>
    );
  }
  return (
    <div class="stack tight">
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
          disabled={rewardId.value === "" || (isSpecific && productIds.value.length === 0)}
          onClick={() => {
            const ids = isSpecific ? productIds.value : [];
            add({ reward_id: Number(rewardId.value), apply_on: applyOn.value, product_ids: ids });
            rewardId.value = "";
          }}
        >
          Add it
        </button>
        <button class="button plain" onClick={make}>
          Make a new reward
        </button>
      </div>
      {isSpecific && <Products chosen={productIds} />}
    </div>
  );
}

function Products({ chosen }: { chosen: Signal<number[]> }) {
  const products = useProducts().data.value;
  if (products?.length === 0) {
    return (
      <p class="small soft">
        There are no products yet. Your program creates them with POST /api/v2/company/products.
      </p>
    );
  }
  const toggle = (id: number) => {
    const { value } = chosen;
    chosen.value = value.includes(id) ? value.filter((each) => each !== id) : [...value, id];
  };
  return (
    <fieldset class="row">
      <legend class="unseen">Products that it is for</legend>
      {products?.map(({ id, name }) => (
        <label key={id} class="check">
          <input type="checkbox" checked={chosen.value.includes(id)} onInput={() => toggle(id)} />
          {name}
        </label>
      ))}
    </fieldset>
  );
}
