import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { centsOf } from "../../ui/form/amount.ts";
import { money, several } from "../../ui/format.ts";
import { goalOf, type RewardTerms } from "./sentence.ts";
import { amountOf } from "../../ui/amount.ts";

type Draft = components["schemas"]["CreateRewardBody"];
type Entries = NonNullable<components["schemas"]["PreviewRewardsBody"]["entries"]>;
type Preview = components["schemas"]["RewardPreview"];

const USUAL_SALE = "100";
/** What the recruited promoter earns in the example of a parent's reward. */
const USUAL_PERCENT = 20;

/** What rewards give for a sale, calculated by the server. */
export function Example({ draft, entries }: { draft?: Draft & RewardTerms; entries?: Entries }) {
  const typed = useSignal(USUAL_SALE);
  const saleCents = centsOf(typed.value);
  const goal = draft?.promoter_reward_type === "target" ? goalOf(draft) : null;
  const given = JSON.stringify({ draft, entries, saleCents });
  const loaded = useLoad((signal) => work({ draft, entries, saleCents }, signal), [given]);
  const results = loaded.data.value;
  return (
    <section class="example stack tight" aria-label="Example">
      {goal !== null && (
        <p class="small soft">
          The sale with which a promoter reaches the goal ({goal}) earns the bonus. Earlier and later ones do
          not.
        </p>
      )}
      <label class="row tight">
        {goal === null ? "A sale of" : "If that is a sale of"}
        <input
          class="input figure"
          inputMode="decimal"
          value={typed.value}
          onInput={(event) => (typed.value = event.currentTarget.value)}
        />
        gives
      </label>
      <div aria-live="polite">
        {loaded.refusal.value ? (
          <p class="soft">{loaded.refusal.value.message}</p>
        ) : results === null || results === undefined ? (
          <p class="soft">Type an amount to see what it gives.</p>
        ) : (
          <Results results={results} draft={draft} />
        )}
      </div>
    </section>
  );
}

function Results({
  results: { first, later },
  draft,
}: {
  results: { first: Preview; later: Preview | null };
  draft: Draft | undefined;
}) {
  return (
    <>
      <Earnings preview={first} />
      {later?.earnings.length === 0 && (
        <p class="small soft">
          {draft?.duration === "once"
            ? "The customer's second sale gives nothing."
            : `After ${several(draft?.duration_in_months ?? 0, "month")} sales give nothing.`}
        </p>
      )}
      {needsBase(draft) && (
        <p class="small soft">The promoter below earns {USUAL_PERCENT}% of the sale in this example.</p>
      )}
    </>
  );
}

function Earnings({ preview: { earnings, sale_amount: sale } }: { preview: Preview }) {
  if (earnings.length === 0) return <p>Nothing for a sale of {money(sale)}.</p>;
  return (
    <ul class="items tight">
      {earnings.map(({ tier, reward, unit, amount }) => (
        <li key={`${tier} ${reward.name} ${unit}`}>
          <strong>{amountOf({ amount, unit })}</strong> to{" "}
          {TIERS[tier - 1] ?? `the parent ${tier - 1} levels above`}
        </li>
      ))}
    </ul>
  );
}

const TIERS = ["the promoter", "the promoter's parent"];

interface Asked {
  draft: Draft | undefined;
  entries: Entries | undefined;
  saleCents: number | null;
}

async function work({ draft, entries, saleCents }: Asked, signal: AbortSignal) {
  if (saleCents === null || saleCents <= 0) return null;
  const sale = { sale_amount: saleCents, ...(entries && { entries }), ...draftsOf(draft) };
  const ask = (more: object) =>
    answer(api.POST("/api/v2/company/rewards/preview", { body: { ...sale, ...more }, signal }));
  const goal = draft?.promoter_reward_type === "target" ? { customers_count: 1e6, revenue_amount: 1e9 } : {};
  const first = await ask(goal);
  const end = endOf(draft);
  return { first: without(first, draft), later: end && (await ask(end)) };
}

/** The example of a parent's share also needs the commission below. */
function draftsOf(draft: Draft | undefined): { drafts?: Draft[] } {
  if (draft === undefined) return {};
  return { drafts: needsBase(draft) ? [draft, BASE] : [draft] };
}

const BASE: Draft = {
  name: "The promoter's commission",
  is_promoter_reward: true,
  schemas: [{ unit: "cash", amount: USUAL_PERCENT, flat_amount: false }],
};

function needsBase(draft: Draft | undefined): boolean {
  return draft?.promoter_reward_type === "tier" && draft.tier_reward_mode !== "tier_override_mode";
}

/** Shows only the parent's share. */
function without(preview: Preview, draft: Draft | undefined): Preview {
  if (!needsBase(draft)) return preview;
  return { ...preview, earnings: preview.earnings.filter(({ tier }) => tier > 1) };
}

/** The first sale after a reward's end, or null if it does not end. */
function endOf(draft: Draft | undefined): object | null {
  if (draft?.duration === "once") return { sales_count: 2 };
  if (draft?.duration === "repeating") return { customer_age_in_months: draft.duration_in_months };
  return null;
}
