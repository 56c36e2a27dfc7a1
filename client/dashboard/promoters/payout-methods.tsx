import { api, page } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { date } from "../../ui/format.ts";
import type { components } from "../../ui/api/types.ts";
import { METHODS } from "../payouts/words.ts";

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
  const loaded = useLoad(
    async (signal) => {
      const query = { "filters[promoter_id]": id };
      return (await page(api.GET("/api/v2/company/payout_methods", { params: { query }, signal }))).rows;
    },
    [id],
  );
  return (
    <section class="card">
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
    </section>
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
