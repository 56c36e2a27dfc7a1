import { answer, api } from "../../ui/api/client.ts";
import { CopyButton } from "../../ui/feedback/copy.tsx";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { count, dateTime, money } from "../../ui/format.ts";
import { TextArea } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { may } from "../session/session.ts";
import type { Commission } from "./query.ts";
import { CommissionState } from "./state.tsx";
import { amountOf } from "../../ui/amount.ts";

interface CommissionDialogProps {
  commission: Commission;
  onClose: () => void;
  reload: () => Promise<void>;
}

/** A commission's details and notes. */
export function CommissionDialog(props: CommissionDialogProps) {
  const { commission, onClose } = props;
  return (
    <Dialog title={`Commission of ${amountOf(commission)}`} onClose={onClose}>
      <div class="stack">
        <Facts commission={commission} />
        {may("manager") ? <NotesForm {...props} /> : <Notes commission={commission} />}
      </div>
    </Dialog>
  );
}

function NotesForm({ commission, onClose, reload }: CommissionDialogProps) {
  const { id, internal_note: internalNote, external_note: externalNote } = commission;
  const form = useForm({ internal_note: internalNote ?? "", external_note: externalNote ?? "" });
  return (
    <Form
      form={form}
      action="Save the notes"
      onSubmit={async ({ internal_note: internal, external_note: external }) => {
        const body = { internal_note: internal || null, external_note: external || null };
        await answer(api.PUT("/api/v2/company/commissions/{id}", { params: { path: { id } }, body }));
        toast("The notes were saved");
        onClose();
        await reload();
      }}
    >
      <TextArea form={form} name="internal_note" label="Note for your team" rows={2} />
      <TextArea form={form} name="external_note" label="Note that the promoter sees" rows={2} />
    </Form>
  );
}

function Notes({ commission }: { commission: Commission }) {
  return (
    <dl class="facts">
      <dt>Note for your team</dt>
      <dd>{commission.internal_note ?? "–"}</dd>
      <dt>Note that the promoter sees</dt>
      <dd>{commission.external_note ?? "–"}</dd>
    </dl>
  );
}

function Facts({ commission }: { commission: Commission }) {
  const { promoter_campaign: owner, referral, reward, split_details: split } = commission;
  return (
    <dl class="facts">
      <dt>State</dt>
      <dd>
        <CommissionState commission={commission} />
      </dd>
      <dt>Promoter</dt>
      <dd>
        <a href={`/admin/promoters/${owner.promoter_id}`}>{owner.promoter?.name ?? owner.promoter_id}</a>
        {commission.tier > 1 &&
          ` (tier ${count(commission.tier)}: a promoter whom they recruited made the sale)`}
      </dd>
      <dt>Campaign</dt>
      <dd>{owner.campaign?.name ?? "–"}</dd>
      <dt>Lead</dt>
      <dd>
        {referral ? (
          <a href={`/admin/leads/${referral.id}`}>{referral.email ?? referral.uid ?? referral.id}</a>
        ) : (
          "–"
        )}
      </dd>
      <dt>Sale</dt>
      <dd>{saleOf(commission)}</dd>
      <dt>Reward</dt>
      <dd>{reward?.name ?? "Given by hand"}</dd>
      {split && (
        <>
          <dt>Split</dt>
          <dd>{count(split.percentage)}% of the sale</dd>
        </>
      )}
      <dt>Event id</dt>
      <dd>
        {commission.event_id ? (
          <>
            <code>{commission.event_id}</code> <CopyButton text={commission.event_id} of="the event id" />
          </>
        ) : (
          "–"
        )}
      </dd>
      <dt>Earned</dt>
      <dd>{dateTime(commission.created_at)}</dd>
    </dl>
  );
}

/** The sale in the account's currency and in its own. */
function saleOf({
  sale_amount: cents,
  original_sale_amount: original,
  original_sale_currency: currency,
  plan_id: plan,
}: Commission): string {
  if (cents === 0) return "–";
  const converted = currency ? ` (${money(original, { currency })})` : "";
  return `${money(cents)}${converted}${plan ? `, ${plan}` : ""}`;
}
