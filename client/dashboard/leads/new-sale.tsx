import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { amountOf } from "../../ui/amount.ts";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { at } from "../../ui/base.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { date, money, several, writing } from "../../ui/format.ts";
import { requiredCents, typedAmount } from "../../ui/form/amount.ts";
import { Select, TextArea, TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { CommissionState } from "../commissions/state.tsx";
import type { Commission } from "../commissions/words.ts";
import { currencyOptions } from "../currencies.ts";
import { leadName, type Lead } from "./words.ts";

interface Props {
  reload: () => Promise<void>;
  onClose: () => void;
}

/** Records a sale that nothing has reported, and shows what it earns. Null: the user names the lead. */
export function NewSale({ lead, reload, onClose }: Props & { lead: Lead | null }) {
  const made = useSignal<Commission[] | null>(null);
  const form = useSaleForm();
  const eventId = useEventId();
  return (
    <Dialog title={lead ? `Add a sale of ${leadName(lead)}` : "Add a sale"} onClose={onClose}>
      {made.value !== null ? (
        <Made title="The sale is recorded." commissions={made.value} onClose={onClose} />
      ) : (
        <Form
          form={form}
          action="Add the sale"
          onSubmit={async (given) => {
            made.value = await sell(lead, { ...given, event_id: given.event_id || eventId });
            await reload();
          }}
        >
          {lead === null && (
            <TextField
              form={form}
              name="email"
              label="E-mail of the customer"
              hint="They must be a lead of a promoter."
              type="email"
              required
              autoFocus
            />
          )}
          <SaleFields form={form} />
        </Form>
      )}
    </Dialog>
  );
}

const EVENT_ID_BYTES = 12;

/** The id of what a form records. Sent again after an answer was lost, it is recorded once. */
function useEventId(): string {
  return useMemo(() => {
    const bytes = crypto.getRandomValues(new Uint8Array(EVENT_ID_BYTES));
    return `manual-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  }, []);
}

function useSaleForm() {
  return useForm({
    email: "",
    sale_amount: "",
    currency: writing.value.currency,
    quantity: "1",
    event_date: "",
    plan_id: "",
    event_id: "",
    internal_note: "",
  });
}

function SaleFields({ form }: { form: ReturnType<typeof useSaleForm> }) {
  const amount = `Amount in ${form.values.currency.value}`;
  return (
    <>
      <div class="grid" style={{ "--column": "10rem" }}>
        <TextField form={form} name="sale_amount" label={amount} inputMode="decimal" required />
        <Select
          form={form}
          name="currency"
          label="Currency"
          options={currencyOptions(writing.value.currency)}
        />
        <TextField form={form} name="quantity" label="Pieces" inputMode="numeric" required />
        <TextField form={form} name="event_date" type="date" label="Day (optional)" hint="Today, if empty." />
      </div>
      <TextField
        form={form}
        name="plan_id"
        label="Price or plan, by your own id (optional)"
        hint="It finds the product, and so the reward."
      />
      <TextField
        form={form}
        name="event_id"
        label="Event id (optional)"
        hint="Such as the number of the invoice. A sale is recorded once for each."
      />
      <TextArea form={form} name="internal_note" label="Note for your team (optional)" rows={2} />
    </>
  );
}

type SaleValues = Record<keyof ReturnType<typeof useSaleForm>["values"], string>;

/** @throws Refusal */
async function sell(lead: Lead | null, given: SaleValues): Promise<Commission[]> {
  const { currency, plan_id, event_id, event_date, internal_note } = given;
  const cents = requiredCents("sale_amount", given.sale_amount, currency);
  const body = {
    commission_type: "sale" as const,
    referral_id: lead?.id ?? (await leadNamed(given.email.trim())),
    sale_amount: cents,
    unit: "cash" as const,
    ...(currency !== writing.value.currency && { currency }),
    // The server reads numbers from text.
    quantity: given.quantity as unknown as number,
    ...(plan_id && { plan_id }),
    event_id,
    ...(event_date && { event_date }),
    ...(internal_note && { internal_note }),
  };
  return answer(api.POST("/api/v2/company/commissions", { body }));
}

/** @throws Refusal */
async function leadNamed(email: string): Promise<number> {
  const params = { path: { id: email }, query: { find_by: "email" as const } };
  return (await answer(api.GET("/api/v2/company/referrals/{id}", { params }))).id;
}

type Entry = components["schemas"]["TimelineEntry"];

/** Records a refund of one of a lead's sales, and shows what it takes back. */
export function NewRefund({ lead, reload, onClose }: Props & { lead: Lead }) {
  const loaded = useLoad(
    (signal) => {
      const params = { path: { id: String(lead.id) } };
      return answer(api.GET("/api/v2/company/referrals/{id}/timeline", { params, signal }));
    },
    [lead.id],
  );
  return (
    <Dialog title={`Record a refund of ${leadName(lead)}`} onClose={onClose}>
      <Await loaded={loaded}>
        {(entries) => {
          const sales = refundable(entries);
          if (sales.length === 0) return <p>There is no sale to refund.</p>;
          return <RefundForm lead={lead} sales={sales.toReversed()} reload={reload} onClose={onClose} />;
        }}
      </Await>
    </Dialog>
  );
}

/** The sales that are not refunded in full. */
function refundable(entries: Entry[]): Entry[] {
  return entries.filter(
    ({ kind, event_id: name, refundable_amount: left }) =>
      kind === "sale" && name !== null && (left ?? 0) > 0,
  );
}

function RefundForm({ lead, sales, reload, onClose }: Props & { lead: Lead; sales: Entry[] }) {
  const made = useSignal<Commission[] | null>(null);
  const eventId = useEventId();
  const [latest] = sales;
  const form = useForm({
    sale_event_id: latest?.event_id ?? "",
    amount: latest ? typedRest(latest) : "",
    event_date: "",
  });
  const named = form.values.sale_event_id.value;
  const chosen = sales.find(({ event_id: name }) => name === named);
  const currency = currencyOf(chosen);
  const filledFor = useRef(named);
  useEffect(() => {
    // What was typed for the same sale stays.
    if (chosen === undefined || filledFor.current === named) return;
    filledFor.current = named;
    form.values.amount.value = typedRest(chosen);
  }, [named]);
  if (made.value !== null)
    return <Made title="The refund is recorded." commissions={made.value} onClose={onClose} />;
  return (
    <Form
      form={form}
      action="Record the refund"
      onSubmit={async ({ sale_event_id, amount, event_date }) => {
        const body = {
          event_id: eventId,
          sale_event_id,
          amount: requiredCents("amount", amount, currency),
          currency,
          ...(event_date && { event_date }),
        };
        const params = { path: { id: lead.id } };
        const refund = await answer(api.POST("/api/v2/company/referrals/{id}/refund", { params, body }));
        made.value = refund.commissions;
        await reload();
      }}
    >
      <Select
        form={form}
        name="sale_event_id"
        label="Sale"
        options={sales.map((sale): [string, string] => [sale.event_id ?? "", saleWords(sale)])}
      />
      <div class="grid" style={{ "--column": "10rem" }}>
        <TextField form={form} name="amount" label={`Amount in ${currency}`} inputMode="decimal" required />
        <TextField form={form} name="event_date" type="date" label="Day (optional)" hint="Today, if empty." />
      </div>
    </Form>
  );
}

function currencyOf(sale: Entry | undefined): string {
  return sale?.original_currency ?? writing.value.currency;
}

/** What earlier refunds have left of the sale. */
function typedRest(sale: Entry): string {
  return typedAmount(sale.refundable_amount ?? 0, currencyOf(sale));
}

function saleWords(sale: Entry): string {
  const currency = currencyOf(sale);
  const amount = money(sale.original_amount, { currency });
  const left = money(sale.refundable_amount, { currency });
  const rest = sale.refundable_amount === sale.original_amount ? "" : ` (${left} left)`;
  return `${amount}${rest}, ${date(sale.at)}, ${sale.event_id}`;
}

/** What a sale or a refund has made. */
function Made({
  title,
  commissions,
  onClose,
}: {
  title: string;
  commissions: Commission[];
  onClose: () => void;
}) {
  return (
    <div class="stack">
      <p role="status">
        {title}{" "}
        {commissions.length === 0
          ? "It makes no commission."
          : `It makes ${several(commissions.length, "commission")}:`}
      </p>
      {commissions.length > 0 && (
        <ul class="stack entries">
          {commissions.map((commission) => (
            <li key={commission.id} class="row spread">
              <span>
                <strong>{amountOf(commission)}</strong> <Promoter of={commission} />
              </span>
              <CommissionState commission={commission} />
            </li>
          ))}
        </ul>
      )}
      <div class="row">
        <button class="button main" onClick={onClose}>
          Done
        </button>
      </div>
    </div>
  );
}

function Promoter({ of: { promoter_campaign: owner } }: { of: Commission }) {
  const { promoter } = owner;
  return promoter ? <a href={at(`/admin/promoters/${promoter.id}`)}>{promoter.name}</a> : <>A promoter</>;
}
