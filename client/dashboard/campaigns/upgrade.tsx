import { writing } from "../../ui/format.ts";
import { requiredCents, typedAmount } from "../../ui/form/amount.ts";
import { Checkbox, Select, TextField } from "../../ui/form/field.tsx";
import { fillForm, Form, useForm } from "../../ui/form/form.tsx";
import { may } from "../session/session.ts";
import type { CampaignViewProps } from "./campaign.tsx";
import { campaignOptions, useCampaigns, type Campaign } from "./choices.tsx";
import { saveCampaign } from "./save.ts";

type Metric = NonNullable<Campaign["upgrade_details"]>["metric"];

const METRICS: [Metric, string][] = [
  ["customers", "Customers"],
  ["active_customers", "Customers who have not cancelled"],
  ["revenue", "Revenue"],
];

/** The next campaign for promoters who have reached a goal. */
export function UpgradeSettings(props: CampaignViewProps) {
  const { id, upgrade_details: upgrade } = props.campaign;
  const form = useForm(valuesOf(upgrade));
  const others = (useCampaigns().data.value ?? []).filter((each) => each.id !== id);
  const { campaign_id: to, metric } = form.values;
  return (
    <section class="card stack">
      <h2>Next campaign</h2>
      <p class="soft">
        Choose the campaign that promoters move to when they have reached a goal here. Within ten minutes they
        are moved, with their links and codes.
      </p>
      <Form
        form={form}
        action="Save the goal"
        onSubmit={async (given) => {
          const saved = await saveCampaign(props, bodyOf(given));
          fillForm(form, valuesOf(saved.upgrade_details));
        }}
      >
        <fieldset class="stack" disabled={!may("manager")}>
          <Select
            form={form}
            name="campaign_id"
            label="Campaign to move to"
            options={[["", "None"], ...campaignOptions(others)]}
          />
          {to.value !== "" && (
            <>
              <div class="grid">
                <Select form={form} name="metric" label="What they must reach" options={METRICS} />
                <TextField
                  form={form}
                  name="amount"
                  label={metric.value === "revenue" ? `Amount in ${writing.value.currency}` : "Number"}
                  inputMode="decimal"
                  required
                />
              </div>
              <Checkbox
                form={form}
                name="move_referrals_on_level_change"
                label="Their leads should move too"
              />
            </>
          )}
        </fieldset>
      </Form>
    </section>
  );
}

function valuesOf(upgrade: Campaign["upgrade_details"]) {
  return {
    campaign_id: String(upgrade?.campaign_id ?? ""),
    metric: (upgrade?.metric ?? "customers") as string,
    amount: upgrade?.metric === "revenue" ? typedAmount(upgrade.amount) : String(upgrade?.amount ?? ""),
    move_referrals_on_level_change: upgrade?.move_referrals_on_level_change ?? false,
  };
}

/** @throws Refusal */
function bodyOf({ campaign_id: id, metric, amount, ...rest }: ReturnType<typeof valuesOf>) {
  if (id === "") return { upgrade_details: null };
  const isMoney = metric === "revenue";
  return {
    upgrade_details: {
      ...rest,
      campaign_id: Number(id),
      metric: metric as Metric,
      amount: isMoney ? requiredCents("amount", amount) : Number(amount),
    },
  };
}
