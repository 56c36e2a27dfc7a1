import { answer, api } from "../../ui/api/client.ts";
import { brand } from "../../ui/brand.ts";
import { useLoad } from "../../ui/api/load.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { country, date, exactPercent, periodWords } from "../../ui/format.ts";
import { amountOf } from "../../ui/amount.ts";
import type { components } from "../../ui/api/types.ts";
import { methodName } from "../words.ts";
import { t } from "../../languages/messages.ts";

/** The receipt of a payout, to read and to print. */
export function Receipt({ id, onClose }: { id: number; onClose: () => void }) {
  const logo = brand.value?.logo_url ?? null;
  const params = { path: { id } };
  const loaded = useLoad(() => answer(api.GET("/api/v2/affiliate/payouts/{id}/receipt", { params })), [id]);
  return (
    <Dialog title={t("receipt")} onClose={onClose}>
      <Await loaded={loaded}>
        {({ number, payer, payee, payout, tax_amount: tax }) => {
          const facts: [string, preact.ComponentChildren][] = [
            [t("receipt.number"), number],
            [t("receipt.from"), payer.name],
            [t("receipt.to"), payee.name],
            ...invoiceFacts(payee),
            [t("receipt.for"), payout.campaign?.name ?? "–"],
            [t("period"), periodWords(payout.period_start, payout.period_end)],
            [t("receipt.paid_on"), date(payout.paid_at)],
            [t("receipt.by"), payout.payout_method === null ? "–" : methodName(payout.payout_method.method)],
            [t("amount"), amountOf({ amount: payout.amount, unit: payout.unit })],
            [
              t("receipt.tax", { rate: exactPercent(payout.tax_rate) }),
              amountOf({ amount: tax, unit: payout.unit }),
            ],
            [
              t("receipt.total"),
              <strong key="total">{amountOf({ amount: payout.total_incl_tax, unit: payout.unit })}</strong>,
            ],
          ];
          return (
            <>
              {logo !== null && (
                <p class="brand">
                  <img class="logo" src={logo} alt={payer.name} />
                </p>
              )}
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
                  {t("receipt.print")}
                </button>
              </div>
            </>
          );
        }}
      </Await>
    </Dialog>
  );
}

/** The promoter's invoice details, in the order of an address. */
function invoiceFacts(payee: components["schemas"]["PayoutReceipt"]["payee"]): [string, string][] {
  const given = { ...payee, country: payee.country && country(payee.country) };
  const names = ["company_name", "company_number", "address", "country", "vat_id"] as const;
  return names.flatMap((name): [string, string][] => {
    const value = given[name];
    return value ? [[t(`invoice.${name}`), value]] : [];
  });
}
