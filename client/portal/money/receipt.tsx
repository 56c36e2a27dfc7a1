import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { date, percent } from "../../ui/format.ts";
import { Amount } from "../amount.tsx";
import { METHODS } from "../words.ts";

/** The receipt of a payout, to read and to print. */
export function Receipt({ id, onClose }: { id: number; onClose: () => void }) {
  const params = { path: { id } };
  const loaded = useLoad(() => answer(api.GET("/api/v2/affiliate/payouts/{id}/receipt", { params })), [id]);
  return (
    <Dialog title="Receipt" onClose={onClose}>
      <Await loaded={loaded}>
        {({ number, payer, payee, payout, tax_amount: tax }) => {
          const company = [payee.company_name, payee.address, payee.country].filter(Boolean).join(", ");
          const facts: [string, preact.ComponentChildren][] = [
            ["Number", number],
            ["From", payer.name],
            ["To", payee.name],
            ...(company === "" ? [] : ([["Company", company]] as [string, string][])),
            ...(payee.vat_id === null ? [] : ([["VAT id", payee.vat_id]] as [string, string][])),
            ["For", payout.campaign?.name ?? "–"],
            ["Period", `${date(payout.period_start)} to ${date(payout.period_end)}`],
            ["Paid on", date(payout.paid_at)],
            [
              "By",
              payout.payout_method === null ? "–" : (METHODS[payout.payout_method] ?? payout.payout_method),
            ],
            ["Amount", <Amount key="amount" amount={payout.amount} unit={payout.unit} />],
            [`Tax (${percent(payout.tax_rate)})`, <Amount key="tax" amount={tax} unit={payout.unit} />],
            [
              "Total",
              <strong key="total">
                <Amount amount={payout.total_incl_tax} unit={payout.unit} />
              </strong>,
            ],
          ];
          return (
            <>
              <dl class="facts">
                {facts.map(([name, value]) => (
                  <>
                    <dt key={name}>{name}</dt>
                    <dd>{value}</dd>
                  </>
                ))}
              </dl>
              <div class="dialog-foot">
                <button class="button" onClick={() => print()}>
                  Print
                </button>
              </div>
            </>
          );
        }}
      </Await>
    </Dialog>
  );
}
