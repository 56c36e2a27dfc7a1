import { useControl } from "../../ui/form/field.tsx";
import type { FormState } from "../../ui/form/form.tsx";
import { digitsOf } from "../../ui/currency.ts";
import { writing } from "../../ui/format.ts";
import { MODES, REVENUE, WHO, type Draft } from "./draft.ts";
import { UNITS } from "./sentence.ts";

type Options = readonly (readonly [value: string, words: string])[];

/** `[The promoter gets] [30] [% of each sale] [for 12 months]`: a sentence of form fields. */
export function RewardSentence({ form }: { form: FormState<Draft> }) {
  const { who, kind, duration, goal } = form.values;
  const isTier = who.value.startsWith("tier");
  const isPercent = kind.value === "percent";
  return (
    <fieldset class="sentence">
      <legend class="unseen">What the reward gives</legend>
      <Word form={form} name="who" label="Who gets it" options={WHO} />
      <Figure form={form} name="amount" label="How much" step="any" />
      <Word form={form} name="kind" label="Of what" options={kinds(who.value, kind.value)} />
      {isTier && isPercent && <Word form={form} name="mode" label="Percent of what" options={MODES} />}
      {who.value === "target" ? (
        <>
          <span>for</span>
          <Figure
            form={form}
            name="goalValue"
            label="The goal"
            step={goal.value === REVENUE ? String(10 ** -digitsOf(writing.value.currency)) : "1"}
          />
          <Word form={form} name="goal" label="Counted in" options={goals()} />
        </>
      ) : (
        <Word form={form} name="duration" label="For how long" options={DURATIONS} />
      )}
      {who.value !== "target" && duration.value === "repeating" && (
        <>
          <Figure form={form} name="months" label="Months" step="1" />
          <span>months</span>
        </>
      )}
    </fieldset>
  );
}

const DURATIONS: Options = [
  ["forever", "for as long as the customer pays"],
  ["repeating", "for the first"],
  ["once", "for the first sale only"],
];

function goals(): Options {
  return [
    ["promoter_campaign_customers_count", "customers"],
    [REVENUE, `${writing.value.currency} of revenue`],
  ];
}

const PERCENT: Record<string, string> = { customer: "% off", target: "% of that sale" };

/** Units that only the API offers, because they are easily confused with a percentage. */
const RARE = new Set(["mon_discount", "discount_per"]);

/** `chosen` is the reward's current kind. */
function kinds(who: string, chosen: string): Options {
  const { currency } = writing.value;
  const each = who === "target" || who === "customer" ? "" : " for each sale";
  return [
    ["percent", PERCENT[who] ?? (who.startsWith("tier") ? "%" : "% of each sale")],
    ["cash", `${currency}${each}`],
    ...Object.entries(UNITS)
      .filter(([unit]) => unit === chosen || !RARE.has(unit))
      .map(([unit, [, words]]) => [unit, `${words}${each}`] as const),
  ];
}

interface WordProps {
  form: FormState<Draft>;
  name: string & keyof Draft;
  label: string;
}

function Word({ form, name, label, options }: WordProps & { options: Options }) {
  const value = form.values[name]!;
  return (
    <select
      class="input"
      aria-label={label}
      value={String(value.value)}
      onChange={(event) => (value.value = event.currentTarget.value)}
    >
      {options.map(([each, words]) => (
        <option key={each} value={each} selected={each === value.value}>
          {words}
        </option>
      ))}
    </select>
  );
}

function Figure({ form, name, label, step }: WordProps & { step: string }) {
  const { control, below, set } = useControl(form, name);
  return (
    <>
      <input
        {...control}
        class="input figure"
        type="number"
        aria-label={label}
        min="0"
        step={step}
        required
        value={String(form.values[name]!.value)}
        onInput={(event) => set(event.currentTarget.value)}
      />
      {below}
    </>
  );
}
