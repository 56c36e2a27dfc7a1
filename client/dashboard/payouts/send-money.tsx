import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { dateTime, money, several } from "../../ui/format.ts";
import { LeftOutList } from "./new-batch.tsx";
import { METHODS, PROVIDERS, type PaymentsBatch } from "./words.ts";

type Plan = components["schemas"]["PaymentPlan"];

/** The most receivers that are listed. The sum is that of all. */
const LISTED = 100;

const FEES_BY = {
  quote: "by the provider's quote for an average payment",
  rule: "by the rule that you have set",
};

/** Who gets what by a batch, who has made and approved it, and the buttons that approve and send it. */
export function SendMoney({ batch, onClose }: { batch: PaymentsBatch; onClose: () => void }) {
  const { id, method, ext_reference: name } = batch;
  const params = { path: { id } };
  // Null: the server chooses.
  const provider = useSignal<Plan["provider"] | null>(null);
  const plan = useLoad((signal) => {
    const query = provider.value === null ? {} : { provider: provider.value };
    const given = { params: { ...params, query }, signal };
    return answer(api.GET("/api/v2/company/payments_batches/{id}/plan", given));
  });
  const found = plan.data.value;
  const choose = (name: Plan["provider"]) => {
    provider.value = name;
    return plan.reload();
  };
  const approve = async () => {
    await tell(async () => {
      await answer(api.POST("/api/v2/company/payments_batches/{id}/approve", { params }));
      return `${name} was approved`;
    });
    await plan.reload();
  };
  const send = ({ provider: payer }: Plan) =>
    tell(async () => {
      const body = { provider: payer };
      await answer(api.POST("/api/v2/company/payments_batches/{id}/send", { params, body }));
      onClose();
      return `${name} is being sent`;
    });
  return (
    <Dialog title={`Pay ${name} by ${METHODS[method]}`} onClose={onClose}>
      {plan.refusal.value && <p role="alert">{plan.refusal.value.message}</p>}
      {found && (
        <>
          {found.providers.length > 1 && <Payers plan={found} onChoose={(name) => void choose(name)} />}
          <Amounts plan={found} />
          <ApprovalText {...found.approval} />
          <div class="dialog-foot">
            <button class="button" onClick={onClose}>
              Cancel
            </button>
            {found.approval.is_required && found.approval.not_approvable_because === null && (
              <button class="button" onClick={() => void approve()}>
                {found.approval.approved_by === null ? "Approve" : "Approve again"}
              </button>
            )}
            {found.approval.not_sendable_because === null && (
              <button class="button main" onClick={() => void send(found)}>
                Send {money(found.total)}
              </button>
            )}
          </div>
        </>
      )}
    </Dialog>
  );
}

function Payers({ plan, onChoose }: { plan: Plan; onChoose: (name: Plan["provider"]) => void }) {
  const { provider, providers } = plan;
  return (
    <div class="field">
      <label htmlFor="payer">Send it by</label>
      <select
        id="payer"
        class="input auto"
        value={provider}
        onChange={({ currentTarget: { value } }) => {
          const chosen = providers.find((name) => name === value);
          if (chosen !== undefined) onChoose(chosen);
        }}
      >
        {providers.map((name) => (
          <option key={name} value={name}>
            {PROVIDERS[name]}
          </option>
        ))}
      </select>
    </div>
  );
}

function Amounts({ plan }: { plan: Plan }) {
  const { to_pay: all, left_out: leftOut, total, balance, fee_estimate: fees } = plan;
  return (
    <>
      <p>
        {several(all.length, "promoter gets", "promoters get")} {money(total)} in all.
        {balance !== null && ` You have ${money(balance)} there.`}
      </p>
      {all.length > 0 && (
        <p class="soft">
          {fees === null
            ? "The fees are not known before. Set the provider's rule with its credentials to see an estimate."
            : `Fees of about ${money(fees.amount)} come on top, an estimate ${FEES_BY[fees.by]}.`}
        </p>
      )}
      <ul>
        {all.slice(0, LISTED).map(({ promoter_id: promoter, payee, name, amount }) => (
          <li key={`${promoter} ${payee}`}>
            {name}, {payee}: {money(amount)}
          </li>
        ))}
      </ul>
      {all.length > LISTED && <p>And {several(all.length - LISTED, "other")}.</p>}
      {leftOut.length > 0 && <p>{several(leftOut.length, "payout is left out", "payouts are left out")}:</p>}
      <LeftOutList leftOut={leftOut} />
    </>
  );
}

function ApprovalText(approval: Plan["approval"]) {
  const { is_required: isRequired, made_by: maker, made_at: madeAt } = approval;
  const { approved_by: approver, approved_at: approvedAt } = approval;
  const reasons = [approval.not_sendable_because, approval.not_approvable_because];
  if (!isRequired) return null;
  return (
    <>
      <p>
        {maker ?? "A program"} has made the batch on {dateTime(madeAt)}.{" "}
        {approver !== null && `${approver} has approved it on ${dateTime(approvedAt)}.`}
      </p>
      {/* A user who may send it need not know why they can't approve it. */}
      {reasons[0] && reasons.map((reason) => reason && <p key={reason}>{reason}.</p>)}
    </>
  );
}
