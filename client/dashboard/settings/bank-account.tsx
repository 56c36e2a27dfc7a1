import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Await } from "../../ui/feedback/state.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { CountryField } from "../../ui/form/country.tsx";
import { Select, TextField } from "../../ui/form/field.tsx";
import { fillForm, Form, useForm } from "../../ui/form/form.tsx";
import { Page } from "../../ui/shell/page.tsx";

type BankAccount = components["schemas"]["BankAccount"];

/** `/admin/settings/bank-account`: the account from which payment files pay. */
export function BankAccountSettings() {
  const bank = useLoad((signal) => answer(api.GET("/api/v2/company/bank_account", { signal })));
  return (
    <Page title="Bank account">
      <Await loaded={bank}>{(found) => <BankAccountForm bank={found} />}</Await>
    </Page>
  );
}

function BankAccountForm({ bank }: { bank: BankAccount }) {
  const form = useForm(typed(bank));
  return (
    <Form
      form={form}
      action="Save the bank account"
      onSubmit={async (values) => {
        const body = {
          ...values,
          character_set: values.character_set === "utf-8" ? ("utf-8" as const) : null,
        };
        fillForm(form, typed(await answer(api.PUT("/api/v2/company/bank_account", { body }))));
        toast("The bank account was saved");
      }}
    >
      <section class="card stack">
        <h2>Your account</h2>
        <p class="hint">The files that you upload to your bank pay from it.</p>
        <TextField
          form={form}
          name="name"
          label="Account holder"
          hint="Leave it empty for the name of your account here."
        />
        <div class="grid">
          <TextField form={form} name="iban" label="IBAN" />
          <TextField form={form} name="bic" label="BIC" hint="If your bank asks for it." />
        </div>
        <div class="grid" style={{ "--column": "22rem" }}>
          <TextField form={form} name="street" label="Street and number" />
          <TextField form={form} name="postal_code" label="Postal code" />
          <TextField form={form} name="city" label="City" />
          <CountryField form={form} name="country" label="Country" />
        </div>
        <Select
          form={form}
          name="character_set"
          label="Letters in SEPA and ISO 20022 files"
          options={[
            ["", "Latin letters, which all banks take"],
            ["utf-8", "All alphabets (UTF-8), if your bank says so"],
          ]}
        />
      </section>
      <section class="card stack">
        <h2>ACH</h2>
        <p class="hint">
          For a bank in the United States that takes NACHA files. The bank tells you all three.
        </p>
        <div class="grid">
          <TextField form={form} name="routing_number" label="Routing number" inputMode="numeric" />
          <TextField form={form} name="bank_name" label="Name of the bank" />
          <TextField form={form} name="company_id" label="Company id" />
        </div>
      </section>
    </Form>
  );
}

/** The form shows what is not set as blank. */
function typed(bank: BankAccount): Record<keyof BankAccount, string> {
  const entries = Object.entries(bank).map(([name, value]) => [name, value ?? ""]);
  return Object.fromEntries(entries) as Record<keyof BankAccount, string>;
}
