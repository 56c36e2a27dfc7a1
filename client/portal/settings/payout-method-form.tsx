import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { BankFields, bankDetails, blankBank } from "../../ui/bank/bank-fields.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm, type FormState } from "../../ui/form/form.tsx";
import { t, type TextKey } from "../../languages/messages.ts";
import { methodName } from "../words.ts";

const KINDS = ["bank", "paypal", "wise", "crypto"] as const;
type Name = (typeof KINDS)[number];

interface Field {
  name: string;
  /** The keys of the texts. */
  label: TextKey;
  hint?: TextKey;
  type?: "email";
}

/** The details of the other methods. The server checks them. */
const FIELDS: Record<Exclude<Name, "bank">, Field[]> = {
  paypal: [{ name: "wallet_email", label: "wallet.paypal", type: "email" }],
  wise: [{ name: "wise_email", label: "wallet.wise", type: "email" }],
  crypto: [
    { name: "crypto_currency", label: "wallet.currency", hint: "wallet.currency.hint" },
    { name: "wallet_address", label: "wallet.address" },
  ],
};

/** Adds a payout method, with a form for each kind. */
export function PayoutMethodForm({ onClose, onAdded }: { onClose: () => void; onAdded: () => void }) {
  const method = useSignal<Name>("bank");
  return (
    <section class="card stack" aria-label={t("methods.new")}>
      <h2>{t("methods.new")}</h2>
      <div class="segments" role="group" aria-label={t("methods.method")}>
        {KINDS.map((name) => (
          <button key={name} aria-pressed={method.value === name} onClick={() => (method.value = name)}>
            {methodName(name)}
          </button>
        ))}
      </div>
      {method.value === "bank" ? (
        <BankForm onClose={onClose} onAdded={onAdded} />
      ) : (
        <DetailsForm key={method.value} method={method.value} onClose={onClose} onAdded={onAdded} />
      )}
    </section>
  );
}

interface Closing {
  onClose: () => void;
  onAdded: () => void;
}

function BankForm({ onClose, onAdded }: Closing) {
  const forms = useLoad((signal) => answer(api.GET("/api/v2/affiliate/bank_forms", { signal })));
  const form = useForm(blankBank());
  return (
    <Await loaded={forms}>
      {(known) => (
        <MethodForm
          form={form}
          method="bank"
          onClose={onClose}
          onAdded={onAdded}
          detailsOf={(values) => bankDetails(values, known)}
        >
          <BankFields form={form} forms={known} />
        </MethodForm>
      )}
    </Await>
  );
}

function DetailsForm({ method, ...closing }: Closing & { method: Exclude<Name, "bank"> }) {
  const fields = FIELDS[method];
  const form = useForm<Record<string, string>>(Object.fromEntries(fields.map(({ name }) => [name, ""])));
  return (
    <MethodForm form={form} method={method} {...closing}>
      {fields.map(({ name, label, hint, type }) => (
        <TextField
          key={name}
          form={form}
          name={name}
          label={t(label)}
          hint={hint && t(hint)}
          type={type}
          autocomplete="off"
          required
        />
      ))}
    </MethodForm>
  );
}

function MethodForm({
  form,
  method,
  onClose,
  onAdded,
  detailsOf = (values) => values,
  children,
}: Closing & {
  form: FormState<Record<string, string>>;
  method: Name;
  detailsOf?: (values: Record<string, string>) => Record<string, string>;
  children: ComponentChildren;
}) {
  return (
    <Form
      form={form}
      action={t("methods.action", { method: methodName(method) })}
      onSubmit={async (values) => {
        const body = { method, details: detailsOf(values) };
        await answer(api.POST("/api/v2/affiliate/payout_methods", { body }));
        onAdded();
      }}
      others={
        <button type="button" class="button plain" onClick={onClose}>
          {t("cancel")}
        </button>
      }
    >
      {children}
    </Form>
  );
}
