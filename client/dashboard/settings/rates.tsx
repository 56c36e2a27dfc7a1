import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { Await, Empty } from "../../ui/feedback/state.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { TextArea, TextField, Select } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { count, date, several, writing } from "../../ui/format.ts";
import { Page } from "../../ui/shell/page.tsx";
import { currencyOptions } from "../currencies.ts";
import { may } from "../session/session.ts";

type Rates = components["schemas"]["Rates"];

/** `/admin/settings/rates`: the exchange rates for sales in other currencies. */
export function ExchangeRates() {
  const day = useSignal("");
  const rates = useLoad(
    (signal) => {
      const query = day.value === "" ? {} : { date: day.value };
      return answer(api.GET("/api/v2/company/rates", { params: { query }, signal }));
    },
    [day.value],
  );
  const waiting = useLoad((signal) =>
    answer(api.GET("/api/v2/company/home", { params: { query: TODAY() }, signal })),
  );
  return (
    <Page title="Exchange rates">
      <div class="stack wide">
        <Waiting events={waiting.data.value?.tasks.waiting_events} />
        <section class="card stack">
          <h2>Rates that a sale uses</h2>
          <p class="soft">
            A sale in another currency counts in {writing.value.currency}, by the rates of its day or of the
            seven days before.
          </p>
          <div class="field">
            <label htmlFor="rates-day">Day of the sale</label>
            <div>
              <input
                id="rates-day"
                class="input auto"
                type="date"
                value={day.value}
                onInput={(event) => (day.value = event.currentTarget.value)}
              />
            </div>
          </div>
          <Await loaded={rates}>{(found) => <DayList days={found} />}</Await>
        </section>
        {may("manager") && (
          <NewRates
            reload={async () => {
              await Promise.all([rates.reload(), waiting.reload()]);
            }}
          />
        )}
      </div>
    </Page>
  );
}

const TODAY = () => {
  const today = new Date().toISOString().slice(0, 10);
  return { start_date: today, end_date: today };
};

interface WaitingEvents {
  count: number;
  failed_count: number;
  currencies: string[];
}

function Waiting({ events }: { events: WaitingEvents | undefined }) {
  const missing = events === undefined ? 0 : events.count - events.failed_count;
  if (events === undefined || missing <= 0) return null;
  return (
    <p class="notice warn">
      {several(missing, "sale or refund", "sales or refunds")} wait for rates of{" "}
      {events.currencies.join(", ")}. Store them below, and they are recorded within a minute.
    </p>
  );
}

function DayList({ days }: { days: Rates[] }) {
  if (days.length === 0) {
    return (
      <Empty title="No rates for this day">
        <p>Sales in other currencies wait until there are some.</p>
      </Empty>
    );
  }
  return (
    <ul class="items">
      {days.map((each) => (
        <li key={`${each.date} ${each.base} ${each.source}`} class="stack tight">
          <details>
            <summary>
              <strong>{date(each.date)}</strong>: {count(Object.keys(each.rates).length)} of 1 {each.base}{" "}
              <Badge>{each.source === "account" ? "Yours" : "The server's"}</Badge>
            </summary>
            <dl class="facts">
              {Object.entries(each.rates).map(([code, rate]) => (
                <>
                  <dt>{code}</dt>
                  <dd class="number">{rate}</dd>
                </>
              ))}
            </dl>
          </details>
        </li>
      ))}
    </ul>
  );
}

function NewRates({ reload }: { reload: () => Promise<void> }) {
  const form = useForm({ date: TODAY().start_date, base: writing.value.currency, rates: "" });
  return (
    <section class="card stack">
      <h2>Store rates</h2>
      <Form
        form={form}
        action="Store the rates"
        onSubmit={async ({ rates, ...given }) => {
          const body = { ...given, rates: ratesIn(rates) };
          const stored = await answer(api.POST("/api/v2/company/rates", { body }));
          toast(`${several(Object.keys(stored.rates).length, "rate")} of ${date(stored.date)} stored`);
          form.values.rates.value = "";
          await reload();
        }}
      >
        <div class="grid">
          <TextField form={form} name="date" label="Day" type="date" required />
          <Select
            form={form}
            name="base"
            label="One unit of"
            options={currencyOptions(writing.value.currency)}
          />
        </div>
        <TextArea
          form={form}
          name="rates"
          label="Buys"
          hint={`One currency per line, such as “${exampleRate(form.values.base.value)}”. Rates of other currencies stay.`}
          rows={4}
          required
        />
      </Form>
    </section>
  );
}

/** A rate of another currency than the base. */
function exampleRate(base: string): string {
  return base === "USD" ? "EUR 0.9223" : "USD 1.0842";
}

/** Parses lines such as `USD 1.08`. The decimal sign may be a comma. */
export function ratesIn(text: string): Record<string, string> {
  const lines = text.split("\n").map((line) => line.trim().split(/[\s:=;]+/));
  return Object.fromEntries(
    lines
      .filter(([code]) => code !== "")
      .map(([code = "", rate = ""]) => [code.toUpperCase(), rate.replace(",", ".")]),
  );
}
