import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";

const NAMES = { bank: "Bank transfer", paypal: "PayPal", wise: "Wise", crypto: "Crypto wallet" } as const;
type Name = keyof typeof NAMES;

interface Field {
  name: string;
  label: string;
  hint?: string;
  type?: "email";
  isOptional?: boolean;
}

/** The details of each method. The server checks them. */
const FIELDS: Record<Name, Field[]> = {
  bank: [
    { name: "account_holder_name", label: "Account holder" },
    { name: "bank_country", label: "Country of the bank", hint: "Two letters, such as DE or US." },
    {
      name: "iban",
      label: "IBAN",
      hint: "In countries without IBANs, fill in the fields below.",
      isOptional: true,
    },
    { name: "account_number", label: "Account number", isOptional: true },
    { name: "routing_aba_number", label: "Routing number (US)", isOptional: true },
    { name: "sort_code", label: "Sort code (UK)", isOptional: true },
    { name: "bsb_code", label: "BSB code (Australia)", isOptional: true },
    { name: "swift_bic_code", label: "SWIFT or BIC code", isOptional: true },
    { name: "bank_name", label: "Name of the bank", isOptional: true },
  ],
  paypal: [{ name: "wallet_email", label: "E-mail address of your PayPal account", type: "email" }],
  wise: [{ name: "wise_email", label: "E-mail address of your Wise account", type: "email" }],
  crypto: [
    { name: "crypto_currency", label: "Currency", hint: "Such as BTC or USDC." },
    { name: "wallet_address", label: "Address of the wallet" },
  ],
};

/** Adds a payout method, with a form for each kind. */
export function PayoutMethodForm({ onClose, onAdded }: { onClose: () => void; onAdded: () => void }) {
  const method = useSignal<Name>("bank");
  return (
    <section class="card stack" aria-label="New payout method">
      <h2>New payout method</h2>
      <div class="segments" role="group" aria-label="Method">
        {(Object.keys(NAMES) as Name[]).map((name) => (
          <button key={name} aria-pressed={method.value === name} onClick={() => (method.value = name)}>
            {NAMES[name]}
          </button>
        ))}
      </div>
      <DetailsForm key={method.value} method={method.value} onClose={onClose} onAdded={onAdded} />
    </section>
  );
}

function DetailsForm({
  method,
  onClose,
  onAdded,
}: {
  method: Name;
  onClose: () => void;
  onAdded: () => void;
}) {
  const fields = FIELDS[method];
  const form = useForm<Record<string, string>>(Object.fromEntries(fields.map(({ name }) => [name, ""])));
  return (
    <Form
      form={form}
      action={`Be paid by ${NAMES[method]}`}
      onSubmit={async (details) => {
        await answer(api.POST("/api/v2/affiliate/payout_methods", { body: { method, details } }));
        onAdded();
      }}
      others={
        <button type="button" class="button plain" onClick={onClose}>
          Cancel
        </button>
      }
    >
      {fields.map(({ name, label, hint, type, isOptional }) => (
        <TextField
          key={name}
          form={form}
          name={name}
          label={isOptional ? `${label} (optional)` : label}
          hint={hint}
          type={type}
          autocomplete="off"
          required={!isOptional}
        />
      ))}
    </Form>
  );
}
