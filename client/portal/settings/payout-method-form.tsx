import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
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
  isOptional?: boolean;
}

/** The details of each method. The server checks them. */
const FIELDS: Record<Name, Field[]> = {
  bank: [
    { name: "account_holder_name", label: "bank.holder" },
    { name: "bank_country", label: "bank.country", hint: "bank.country.hint" },
    {
      name: "iban",
      label: "bank.iban",
      hint: "bank.iban.hint",
      isOptional: true,
    },
    { name: "account_number", label: "bank.account_number", isOptional: true },
    { name: "routing_aba_number", label: "bank.routing", isOptional: true },
    { name: "sort_code", label: "bank.sort_code", isOptional: true },
    { name: "bsb_code", label: "bank.bsb", isOptional: true },
    { name: "swift_bic_code", label: "bank.swift", isOptional: true },
    { name: "bank_name", label: "bank.name", isOptional: true },
  ],
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
      action={t("methods.action", { method: methodName(method) })}
      onSubmit={async (details) => {
        await answer(api.POST("/api/v2/affiliate/payout_methods", { body: { method, details } }));
        onAdded();
      }}
      others={
        <button type="button" class="button plain" onClick={onClose}>
          {t("cancel")}
        </button>
      }
    >
      {fields.map(({ name, label, hint, type, isOptional }) => (
        <TextField
          key={name}
          form={form}
          name={name}
          label={isOptional ? t("optional", { label: t(label) }) : t(label)}
          hint={hint && t(hint)}
          type={type}
          autocomplete="off"
          required={!isOptional}
        />
      ))}
    </Form>
  );
}
