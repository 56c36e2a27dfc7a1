import { useSignal, type Signal } from "@preact/signals";
import { useId } from "preact/hooks";
import { Notice } from "../../ui/feedback/notice.tsx";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";

/** A promoter in one of their campaigns. */
export interface PickedPromoter {
  /** Of the promoter campaign. */
  id: number;
  name: string;
}

/** Finds a promoter by name, address or referral id, and lets the reader pick one of the first ten. */
export function PromoterPicker({ label, picked }: { label: string; picked: Signal<PickedPromoter | null> }) {
  const id = useId();
  const typed = useSignal("");
  const q = typed.value.trim();
  const found = useLoad(async (signal) => (q === "" ? [] : search(q, signal)), [q]);
  return (
    <fieldset class="field">
      <legend>{label}</legend>
      <input
        class="input"
        type="search"
        aria-label={`Search: ${label}`}
        placeholder="Name, e-mail or referral id"
        required={picked.value === null}
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          picked.value = null;
        }}
      />
      {q !== "" && found.data.value?.length === 0 && !found.isLoading.value && (
        <span class="hint">No promoter found</span>
      )}
      {found.refusal.value && <Notice refusal={found.refusal.value} />}
      {found.data.value?.map(({ id: each, promoter, campaign }) => (
        <label key={each} class="check">
          <input
            type="radio"
            name={id}
            required
            checked={picked.value?.id === each}
            onChange={() => (picked.value = { id: each, name: promoter.name ?? promoter.email })}
          />
          <span>
            {promoter.name}{" "}
            <small class="faint">
              {promoter.name !== promoter.email && `${promoter.email}, `}in {campaign.name}
            </small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** How many promoters are offered. Typing more narrows the list. */
const MOST = 10;

function search(q: string, signal: AbortSignal) {
  const query = { q, per_page: MOST };
  return answer(api.GET("/api/v2/company/promoter_campaigns", { params: { query }, signal }));
}
