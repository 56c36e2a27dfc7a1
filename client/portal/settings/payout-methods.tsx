import { useSignal } from "@preact/signals";
import { answer, api, page } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { ask } from "../../ui/feedback/dialog.tsx";
import { Await, Empty } from "../../ui/feedback/state.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { toast } from "../../ui/feedback/toast.tsx";
import { methodName } from "../words.ts";
import { StripeCard } from "./stripe-account.tsx";
import { PayoutMethodForm } from "./payout-method-form.tsx";
import { t } from "../../languages/messages.ts";

type Method = components["schemas"]["PayoutMethod"];

/** The promoter's payout methods, one of which is selected. */
export function PayoutMethods() {
  const methods = useLoad(() =>
    page(api.GET("/api/v2/affiliate/payout_methods", { params: { query: { per_page: 100 } } })),
  );
  const isAdding = useSignal(false);
  return (
    <div class="stack narrow">
      <Await loaded={methods}>
        {({ rows }) => (
          <ul class="stack">
            <MethodCards methods={rows} reload={methods.reload} />
            {rows.length === 0 && !isAdding.value && (
              <li class="card">
                <Empty title={t("methods.none")}>
                  <p>{t("methods.none.text")}</p>
                </Empty>
              </li>
            )}
          </ul>
        )}
      </Await>
      {isAdding.value ? (
        <PayoutMethodForm
          onClose={() => (isAdding.value = false)}
          onAdded={() => {
            isAdding.value = false;
            toast(t("methods.added"));
            void methods.reload();
          }}
        />
      ) : (
        <div>
          <button class="button main" onClick={() => (isAdding.value = true)}>
            {t("methods.add")}
          </button>
        </div>
      )}
      <StripeCard onUsed={() => void methods.reload()} />
    </div>
  );
}

function MethodCards({ methods, reload }: { methods: Method[]; reload: () => Promise<void> }) {
  const act = (what: Promise<unknown>, done: string) =>
    tell(async () => {
      await what;
      await reload();
      return done;
    });
  const select = ({ id, method }: Method) =>
    act(
      answer(api.POST("/api/v2/affiliate/payout_methods/{id}/select", { params: { path: { id } } })),
      t("methods.selected", { method: methodName(method) }),
    );
  const remove = async ({ id, method }: Method) => {
    const title = t("methods.remove.ask", { method: methodName(method) });
    const text = t("methods.remove.text");
    if (!(await ask({ title, text, action: t("links.remove"), isDanger: true }))) return;
    await act(
      answer(api.DELETE("/api/v2/affiliate/payout_methods/{id}", { params: { path: { id } } })),
      t("methods.removed", { method: methodName(method) }),
    );
  };
  return (
    <>
      {methods.map((each) => (
        <MethodCard key={each.id} of={each} onSelect={() => select(each)} onRemove={() => remove(each)} />
      ))}
    </>
  );
}

function MethodCard({
  of: { method, details, is_selected: isSelected, is_disabled: isDisabled },
  onSelect,
  onRemove,
}: {
  of: Method;
  onSelect: () => void;
  onRemove: () => void;
}) {
  const name = details["stripe_account"] ? t("method.stripe") : methodName(method);
  const target = ["iban", "account_number", "wallet_email", "wise_email", "wallet_address", "stripe_account"]
    .map((field) => details[field])
    .find((value) => typeof value === "string");
  return (
    <li class="card stack tight">
      <div class="row spread">
        <h2>{name}</h2>
        {isSelected && <Badge tone="good">{t("methods.used")}</Badge>}
        {isDisabled && <Badge tone="bad">{t("methods.disabled")}</Badge>}
      </div>
      <code>{String(target ?? "")}</code>
      <div class="row">
        {!isSelected && !isDisabled && (
          <button class="button little" onClick={onSelect}>
            {t("methods.use", { method: name })}
          </button>
        )}
        <button class="button little" aria-label={t("links.remove.of", { name })} onClick={onRemove}>
          {t("links.remove")}
        </button>
      </div>
    </li>
  );
}
