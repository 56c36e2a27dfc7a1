import { useSignal } from "@preact/signals";
import { api, page } from "../../ui/api/client.ts";
import type { components } from "../../ui/api/types.ts";
import { at } from "../../ui/base.ts";
import { Badge, type Tone } from "../../ui/feedback/badge.tsx";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Empty } from "../../ui/feedback/state.tsx";
import { dateTime, money, several } from "../../ui/format.ts";
import { useFilters } from "../../ui/fragment.ts";
import { Choose, NoneFits, optionsOf } from "../../ui/table/filters.tsx";
import { PAGE_LENGTH, useList, type List } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";

export type BillingEvent = components["schemas"]["BillingEvent"];
type Outcome = BillingEvent["outcome"];

const OUTCOMES: Record<Outcome, { words: string; tone: Tone }> = {
  sale: { words: "Sale recorded", tone: "good" },
  signup: { words: "Sign-up recorded", tone: "good" },
  refund: { words: "Refund recorded", tone: "good" },
  cancellation: { words: "Cancellation recorded", tone: "good" },
  known: { words: "Known before", tone: "quiet" },
  waiting: { words: "Waiting", tone: "warn" },
  ignored: { words: "Nothing to record", tone: "quiet" },
  other_mode: { words: "Other mode, not counted", tone: "warn" },
  refused: { words: "Refused", tone: "bad" },
};

const OUTCOME_WORDS = Object.fromEntries(
  Object.entries(OUTCOMES).map(([outcome, { words }]) => [outcome, words]),
) as Record<Outcome, string>;

const PROVIDERS: Record<BillingEvent["provider"], string> = { stripe: "Stripe", paddle: "Paddle" };

const USUAL = { provider: "", outcome: "", page: "1", sort: "" };

/** The last events of billing providers. */
export function useBillingEvents() {
  const filters = useFilters(USUAL);
  const list = useList(filters, ({ number, provider, outcome }, signal) => {
    const query = {
      page: number,
      per_page: PAGE_LENGTH,
      ...(provider && { "filters[provider]": provider as BillingEvent["provider"] }),
      ...(outcome && { "filters[outcome]": outcome as Outcome }),
    };
    return page(api.GET("/api/v2/company/billing/events", { params: { query }, signal }));
  });
  return { filters, list };
}

const columns = (show: (event: BillingEvent) => void): Column<BillingEvent>[] => [
  {
    id: "event",
    title: "Event",
    cell: (event) => (
      <span class="stack tight">
        <span class="row tight">
          <button class="link" onClick={() => show(event)}>
            <WholeParts of={nameOf(event)} />
          </button>
          {event.is_test && <Badge tone="quiet">Test</Badge>}
        </span>
        <small class="soft">{PROVIDERS[event.provider]}</small>
      </span>
    ),
  },
  { id: "outcome", title: "What became of it", isText: true, cell: (event) => <Became of={event} /> },
  { id: "customer", title: "Customer", cell: (event) => <Customer of={event} /> },
  { id: "at", title: "When", cell: ({ received_at: received }) => dateTime(received) },
];

/** The last events of the providers, and what became of each. */
export function BillingEvents({ filters, list }: ReturnType<typeof useBillingEvents>) {
  const shown = useSignal<BillingEvent | null>(null);
  return (
    <section class="stack tight" aria-labelledby="billing-events">
      <div class="row spread">
        <h2 id="billing-events">Last events</h2>
        <button class="button little" onClick={() => void list.reload()}>
          Look again
        </button>
      </div>
      <div class="table-tools">
        <Choose
          filters={filters}
          name="provider"
          label="From"
          options={optionsOf("Any provider", PROVIDERS)}
        />
        <Choose
          filters={filters}
          name="outcome"
          label="What became of it"
          options={optionsOf("Anything", OUTCOME_WORDS)}
        />
      </div>
      <Table
        caption="Last events of billing providers"
        columns={columns((event) => (shown.value = event))}
        list={list as List<BillingEvent>}
        empty={
          <NoneFits filters={filters} usual={USUAL} one="event">
            <Empty title="No event has arrived yet">
              <p>The last 1,000 of 30 days are shown here.</p>
            </Empty>
          </NoneFits>
        }
      />
      {shown.value && <Details of={shown.value} onClose={() => (shown.value = null)} />}
    </section>
  );
}

/** The longest name that a phone shows on one line. */
const MOST_ON_A_LINE = 24;

/** `invoice.paid` on one line, and longer names broken only after a dot. */
function WholeParts({ of }: { of: string }) {
  const parts = of.length > MOST_ON_A_LINE ? of.split(/(?<=\.)/) : [of];
  return parts.map((part) => (
    <>
      <span class="no-wrap">{part}</span>
      <wbr />
    </>
  ));
}

function nameOf({ type, event_id: id, arrivals }: BillingEvent): string {
  if (type !== null) return type;
  return id ?? several(arrivals, "request");
}

function Became({ of: { outcome, reason } }: { of: BillingEvent }) {
  const { words, tone } = OUTCOMES[outcome];
  return (
    <span class="stack tight">
      <span>
        <Badge tone={tone}>{words}</Badge>
      </span>
      {reason && <small class="soft">{reason}</small>}
    </span>
  );
}

function Customer({ of: { referral } }: { of: BillingEvent }) {
  if (referral === null) return <span class="faint">Not a lead</span>;
  return (
    <a href={at(`/admin/leads/${referral.id}`)}>{referral.email ?? referral.uid ?? `Lead ${referral.id}`}</a>
  );
}

function Details({ of, onClose }: { of: BillingEvent; onClose: () => void }) {
  const facts: [name: string, value: string | null][] = [
    ["From", PROVIDERS[of.provider]],
    ["Id there", of.event_id],
    [
      "Amount",
      of.amount === null ? null : money(of.amount, of.currency === null ? {} : { currency: of.currency }),
    ],
    ["Happened", of.happened_at && dateTime(of.happened_at)],
    ["Arrived first", dateTime(of.first_received_at)],
    ["Arrived last", dateTime(of.received_at)],
    ["Arrivals", String(of.arrivals)],
    ["Event id of the sale", of.sale?.event_id ?? null],
    ["Amount of the sale", of.sale && money(of.sale.sale_amount)],
  ];
  return (
    <Dialog title={nameOf(of)} onClose={onClose}>
      <div class="stack">
        <Became of={of} />
        {of.is_test && <p>You sent it to try the connection.</p>}
        <dl class="facts">
          {facts.map(([name, value]) =>
            value === null ? null : (
              <>
                <dt key={name}>{name}</dt>
                <dd>{value}</dd>
              </>
            ),
          )}
          <dt>Customer</dt>
          <dd>
            <Customer of={of} />
          </dd>
        </dl>
      </div>
    </Dialog>
  );
}
