import { answer, api, made } from "../../ui/api/client.ts";
import { refused } from "../../ui/api/refusal.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { writing } from "../../ui/format.ts";
import { centsOf } from "../../ui/form/amount.ts";
import { Select, TextArea, TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { campaignOptions, useCampaigns } from "../campaigns/choices.tsx";
import type { Commission } from "./words.ts";

const UNIT_OPTIONS: [Commission["unit"], string][] = [
  ["cash", "Money"],
  ["credits", "Credits"],
  ["points", "Points"],
  ["free_months", "Free months"],
  ["mon_discount", "Monthly discount"],
  ["discount_per", "Discount in percent"],
];

interface Given {
  email: string;
  campaign: string;
  amount: string;
  unit: string;
  external_note: string;
}

/** Gives a promoter an amount by hand. */
export function NewCommission({ onClose, reload }: { onClose: () => void; reload: () => Promise<void> }) {
  const campaigns = useCampaigns();
  const form = useForm({ email: "", campaign: "", amount: "", unit: "cash", external_note: "" });
  const isMoney = form.values.unit.value === "cash";
  return (
    <Dialog title="Give a commission" onClose={onClose}>
      <Form
        form={form}
        action="Give the commission"
        onSubmit={async (given) => {
          const who = await give(given);
          toast(`${who} was given a commission`);
          onClose();
          await reload();
        }}
      >
        <TextField form={form} name="email" label="E-mail of the promoter" type="email" required autoFocus />
        <Select
          form={form}
          name="campaign"
          label="Campaign"
          hint="The one in which they earn it."
          options={[["", "The one that they joined first"], ...campaignOptions(campaigns.data.value)]}
        />
        <div class="grid" style={{ "--column": "10rem" }}>
          <TextField
            form={form}
            name="amount"
            label={isMoney ? `Amount in ${writing.value.currency}` : "Amount"}
            inputMode="decimal"
            required
          />
          <Select form={form} name="unit" label="Given in" options={UNIT_OPTIONS} />
        </div>
        <TextArea
          form={form}
          name="external_note"
          label="Note that the promoter sees"
          hint="Why they get it."
          rows={2}
        />
      </Form>
    </Dialog>
  );
}

/** Returns the promoter's name. @throws Refusal */
async function give({ email, campaign, amount, unit, external_note: note }: Given): Promise<string> {
  const path = { id: email.trim() };
  const query = { find_by: "email" } as const;
  const promoter = await answer(api.GET("/api/v2/company/promoters/{id}", { params: { path, query } }));
  const owner = promoter.promoter_campaigns.find(
    ({ campaign_id: id }) => campaign === "" || String(id) === campaign,
  );
  if (owner === undefined) throw fault("campaign", "is not a campaign of this promoter");
  const cents = unit === "cash" ? centsOf(amount) : Number(amount);
  if (cents === null || !Number.isInteger(cents)) throw fault("amount", "is not an amount");
  await made(
    api.POST("/api/v2/company/commissions", {
      body: {
        commission_type: "custom",
        promoter_campaign_id: owner.id,
        amount: cents,
        unit: unit as Commission["unit"],
        ...(note && { external_note: note }),
      },
    }),
  );
  return promoter.name;
}

function fault(field: string, text: string) {
  const message = "The commission was not given";
  return refused({ status: 422, code: "invalid", message, fields: { [field]: [text] }, requestId: null });
}
