import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { TextField } from "../../ui/form/field.tsx";
import type { FormState } from "../../ui/form/form.tsx";
import { several } from "../../ui/format.ts";
import type { Promoter } from "./words.ts";

type Terms = Pick<Promoter, "tax_rate" | "net_payout_days">;
type TypedTerms = Record<keyof Terms, string>;

/** How much tax a promoter's payouts have, and when they are due. Only owners set that. */
export function TermsFields({ form }: { form: FormState<TypedTerms> }) {
  const accountDays = useAccountDays();
  const days = accountDays === null ? "days" : several(accountDays, "day");
  return (
    <div class="grid" style={{ "--column": "12rem" }}>
      <TextField
        form={form}
        name="tax_rate"
        label="Tax rate"
        type="number"
        min={0}
        max={100}
        step={0.01}
        required
        hint="In percent, added to each payout."
      />
      <TextField
        form={form}
        name="net_payout_days"
        label="Days to the due date"
        type="number"
        min={0}
        max={365}
        hint={`Empty: the account's ${days}.`}
      />
    </div>
  );
}

/** What the fields show. */
export function typedTerms({ tax_rate: taxRate, net_payout_days: days }: Terms): TypedTerms {
  return { tax_rate: String(taxRate), net_payout_days: days === null ? "" : String(days) };
}

/** What was typed into the fields. */
export function termsOf({ tax_rate: taxRate, net_payout_days: days }: TypedTerms): Terms {
  return { tax_rate: Number(taxRate), net_payout_days: days === "" ? null : Number(days) };
}

/** The days to the due date of promoters without days of their own. null: not known yet. */
export function useAccountDays(): number | null {
  const account = useLoad((signal) => answer(api.GET("/api/v2/company/account", { signal })));
  return account.data.value?.net_payout_days ?? null;
}
