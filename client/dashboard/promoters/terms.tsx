import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { TextField } from "../../ui/form/field.tsx";
import type { FormState } from "../../ui/form/form.tsx";
import { several } from "../../ui/format.ts";
import type { Promoter } from "./query.ts";

type Terms = Pick<Promoter, "tax_rate" | "net_payout_days">;
type TypedTerms = Record<keyof Terms, string>;

/** Tax and due days of a promoter's payouts. Only owners set them. */
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
        hint={`Leave it empty for the account's ${days}.`}
      />
    </div>
  );
}

/** The values of the fields. */
export function typedTerms({ tax_rate: taxRate, net_payout_days: days }: Terms): TypedTerms {
  return { tax_rate: String(taxRate), net_payout_days: days === null ? "" : String(days) };
}

/** Parses the fields. */
export function termsOf({ tax_rate: taxRate, net_payout_days: days }: TypedTerms): Terms {
  return { tax_rate: Number(taxRate), net_payout_days: days === "" ? null : Number(days) };
}

/** The account's days to the due date, or null until they are loaded. */
export function useAccountDays(): number | null {
  const account = useLoad((signal) => answer(api.GET("/api/v2/company/account", { signal })));
  return account.data.value?.net_payout_days ?? null;
}
