import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { asRefusal, type Refusal } from "../../ui/api/refusal.ts";
import type { components } from "../../ui/api/types.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Notice } from "../../ui/feedback/notice.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { toast } from "../../ui/feedback/toast.tsx";
import type { Lead } from "./words.ts";

/** A state of leads that the company has named itself. */
export type OwnStatus = components["schemas"]["CustomReferralStatus"];

/** Loads the company's own statuses, in their order. */
export function loadStatuses(): Promise<OwnStatus[]> {
  return answer(api.GET("/api/v2/company/custom_referral_statuses"));
}

/** Custom statuses as options of a choice. */
export function statusOptions(statuses: OwnStatus[]): [value: string, words: string][] {
  return statuses.map(({ id, name }) => [String(id), name]);
}

/** Gives a lead one of the company's own statuses. Shows nothing if there are none. */
export function ChooseStatus({ lead, reload }: { lead: Lead; reload: () => Promise<void> }) {
  const id = useId();
  const statuses = useLoad(loadStatuses).data.value ?? [];
  if (statuses.length === 0) return null;
  const current = statuses.find(({ name }) => name === lead.custom_status);
  const choose = (value: string) =>
    tell(async () => {
      const params = { path: { id: String(lead.id) } };
      const body = { custom_status_id: value === "" ? null : Number(value) };
      await answer(api.PUT("/api/v2/company/referrals/{id}", { params, body }));
      await reload();
      return "The status was saved";
    });
  return (
    <div class="row tight">
      <label htmlFor={id}>Own status</label>
      <select
        id={id}
        class="input short"
        value={String(current?.id ?? "")}
        onChange={(event) => void choose(event.currentTarget.value)}
      >
        <option value="">None</option>
        {statusOptions(statuses).map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A line of the editor. A null id is a new status. */
interface Draft {
  id: number | null;
  name: string;
  description: string;
  isRemoved: boolean;
}

interface OwnStatusesProps {
  statuses: OwnStatus[];
  onSaved: () => Promise<void>;
  onClose: () => void;
}

/** Makes, renames and removes the company's own statuses. */
export function OwnStatuses({ statuses, onSaved, onClose }: OwnStatusesProps) {
  const drafts = useSignal<Draft[]>(
    statuses.length === 0
      ? [NEW]
      : statuses.map(({ id, name, description }) => ({
          id,
          name,
          description: description ?? "",
          isRemoved: false,
        })),
  );
  const refusal = useSignal<Refusal | null>(null);
  const change = (at: number, over: Partial<Draft>) =>
    (drafts.value = drafts.value.map((draft, index) => (index === at ? { ...draft, ...over } : draft)));
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    try {
      const body = { custom_referral_statuses: changesOf(drafts.value) };
      await answer(api.PUT("/api/v2/company/custom_referral_statuses", { body }));
      toast("The statuses were saved");
      onClose();
      await onSaved();
    } catch (error) {
      refusal.value = asRefusal(error);
    }
  };
  return (
    <Dialog title="Custom statuses of leads" onClose={onClose}>
      <form class="stack" onSubmit={save}>
        <p class="soft">Name the steps that your team goes through with a lead. They change no money.</p>
        {refusal.value && <Notice refusal={refusal.value} />}
        {drafts.value.map((draft, at) =>
          draft.isRemoved ? null : (
            <Line key={at} draft={draft} at={at} change={(over) => change(at, over)} />
          ),
        )}
        <div>
          <button type="button" class="button little" onClick={() => (drafts.value = [...drafts.value, NEW])}>
            Add a status
          </button>
        </div>
        <div>
          <button class="button main">Save the statuses</button>
        </div>
      </form>
    </Dialog>
  );
}

const NEW: Draft = { id: null, name: "", description: "", isRemoved: false };

function Line({
  draft: { name, description },
  at,
  change,
}: {
  draft: Draft;
  at: number;
  change: (over: Partial<Draft>) => void;
}) {
  return (
    <div class="row" role="group" aria-label={`Status ${at + 1}`}>
      <input
        class="input"
        aria-label="Name"
        placeholder="Name"
        maxLength={100}
        required
        value={name}
        onInput={(event) => change({ name: event.currentTarget.value })}
      />
      <input
        class="input"
        aria-label="What it means (optional)"
        placeholder="What it means (optional)"
        maxLength={1000}
        value={description}
        onInput={(event) => change({ description: event.currentTarget.value })}
      />
      <button type="button" class="button little" onClick={() => change({ isRemoved: true })}>
        Remove<span class="unseen"> {name || `status ${at + 1}`}</span>
      </button>
    </div>
  );
}

/** The API's changes, in the order of the lines. A new status that was removed again is left out. */
function changesOf(drafts: Draft[]) {
  return drafts
    .filter(({ id, isRemoved }) => id !== null || !isRemoved)
    .map(({ id, name, description, isRemoved }, order) => ({
      ...(id !== null && { id }),
      name,
      description: description || null,
      order,
      ...(isRemoved && { _destroy: true }),
    }));
}
