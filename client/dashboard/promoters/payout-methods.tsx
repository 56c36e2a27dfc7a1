import { useSignal } from "@preact/signals";
import { answer, api, page } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { BankFields, bankDetails, blankBank } from "../../ui/bank/bank-fields.tsx";
import { Badge } from "../../ui/feedback/badge.tsx";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { date } from "../../ui/format.ts";
import type { components } from "../../ui/api/types.ts";
import { METHODS } from "../payouts/words.ts";
import { may } from "../session/session.ts";

type PayoutMethod = components["schemas"]["PayoutMethod"];

/** The API shows a wallet's address under two names. */
const SAME_AS_WALLET = "paypal_email";
/** Labels of details that differ from the API's names. */
const DETAILS: Record<string, string> = {
  wallet_email: "E-mail",
  wise_email: "E-mail",
  iban: "IBAN",
  swift_bic_code: "BIC",
};

/** How a promoter wants to be paid. */
export function PayoutMethods({ id }: { id: number }) {
  const isAdding = useSignal(false);
  const loaded = useLoad(
    async (signal) => {
      const query = { "filters[promoter_id]": id };
      return (await page(api.GET("/api/v2/company/payout_methods", { params: { query }, signal }))).rows;
    },
    [id],
  );
  return (
    <section class="card stack">
      <h2>Payout method</h2>
      <Await loaded={loaded}>
        {(methods) =>
          methods.length === 0 ? (
            <p class="soft">None yet. They add one in their portal, and can't be paid until then.</p>
          ) : (
            <ul class="items">
              {methods.map((method) => (
                <Method key={method.id} method={method} />
              ))}
            </ul>
          )
        }
      </Await>
      {may("owner") && (
        <div>
          <button class="button little" onClick={() => (isAdding.value = true)}>
            Add a bank account
          </button>
        </div>
      )}
      {isAdding.value && (
        <NewBankAccount
          promoterId={id}
          onClose={() => (isAdding.value = false)}
          onAdded={async () => {
            isAdding.value = false;
            toast("The promoter is paid to this account from now on");
            await loaded.reload();
          }}
        />
      )}
    </section>
  );
}

/** Asks for the details of a promoter's bank account, which is used from then on. */
function NewBankAccount({
  promoterId,
  onClose,
  onAdded,
}: {
  promoterId: number;
  onClose: () => void;
  onAdded: () => Promise<void>;
}) {
  const forms = useLoad((signal) => answer(api.GET("/api/v2/company/bank_forms", { signal })));
  const form = useForm(blankBank());
  return (
    <Dialog title="Bank account" onClose={onClose}>
      <Await loaded={forms}>
        {(known) => (
          <Form
            form={form}
            action="Add the bank account"
            onSubmit={async (values) => {
              const details = bankDetails(values, known);
              const body = { promoter_id: promoterId, method: "bank" as const, details };
              const checked = { ...body, is_selected: true, checks_details: true };
              await answer(api.POST("/api/v2/company/payout_methods", { body: checked }));
              await onAdded();
            }}
          >
            <BankFields form={form} forms={known} />
          </Form>
        )}
      </Await>
    </Dialog>
  );
}

function Method({
  method: { method, details, date_added: at, is_selected: isSelected, is_disabled: isDisabled },
}: {
  method: PayoutMethod;
}) {
  return (
    <li class="stack tight">
      <span class="row">
        <strong>{METHODS[method]}</strong>
        {isSelected && <Badge tone="good">In use</Badge>}
        {isDisabled && <Badge tone="bad">Disabled</Badge>}
        <small class="faint">since {date(at)}</small>
      </span>
      <dl class="facts small">
        {Object.entries(details)
          .filter(([name, value]) => name !== SAME_AS_WALLET && value !== null)
          .map(([name, value]) => (
            <>
              <dt>{DETAILS[name] ?? name.replaceAll("_", " ")}</dt>
              <dd>{String(value)}</dd>
            </>
          ))}
      </dl>
    </li>
  );
}
