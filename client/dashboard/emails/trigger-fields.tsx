import { Select, TextField } from "../../ui/form/field.tsx";
import type { FormState } from "../../ui/form/form.tsx";
import { TRIGGER_NAMES, TRIGGERS, type Email, type Trigger } from "./query.ts";

const METRICS = [
  ["clicks", "Clicks"],
  ["referrals", "Leads"],
  ["customers", "Customers"],
  ["cancellations", "Cancellations"],
] as const;
const UNITS = [
  ["minute", "minutes"],
  ["hour", "hours"],
  ["day", "days"],
  ["second", "seconds"],
] as const;
const WEEK_DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"].map(
  (name, day) => [String(day), name] as const,
);
const MONTH_DAYS = Array.from({ length: 31 }, (_, day) => [String(day + 1), String(day + 1)] as const);

/** The values of a trigger, as text. */
export function triggerValues(trigger: Trigger, settings: Email["trigger"]["settings"] | null) {
  return {
    trigger_on: trigger as string,
    delay_value: String(settings?.delay_value ?? ""),
    delay_interval: settings?.delay_interval ?? "day",
    count: String(settings?.count ?? ""),
    metric: settings?.metric ?? "",
    period_in_days: String(settings?.period_in_days ?? ""),
    frequency: settings?.frequency ?? "weekly",
    day: String(settings?.day ?? 1),
    hour: String(settings?.hour ?? 9),
    minute: String(settings?.minute ?? 0),
  };
}

type Values = Record<keyof ReturnType<typeof triggerValues>, string>;

/** The API's settings of a trigger. Those that it does not use are left out. */
export function settingsOf(given: Values): Record<string, string> {
  const used: Record<string, string> = {};
  const take = (...names: (keyof Values)[]) => {
    for (const name of names) if (given[name] !== "") used[name] = given[name];
  };
  if (given.trigger_on === "count_reached") take("count", "metric");
  else if (given.trigger_on === "inactivity") take("period_in_days", "metric");
  else if (given.trigger_on === "recurring") take("frequency", "day", "hour", "minute");
  else if (given.trigger_on !== "broadcast" && given.delay_value !== "")
    take("delay_value", "delay_interval");
  return used;
}

/** What an e-mail is sent for, and the fields that this needs. */
export function TriggerFields({ form }: { form: FormState<Values> }) {
  const trigger = form.values.trigger_on.value as Trigger;
  return (
    <>
      <Select
        form={form}
        name="trigger_on"
        label="Sent for"
        hint={TRIGGERS[trigger].hint}
        options={TRIGGER_NAMES.map((name) => [name, TRIGGERS[name].label])}
      />
      <Settings form={form} trigger={trigger} />
    </>
  );
}

function Settings({ form, trigger }: { form: FormState<Values>; trigger: Trigger }) {
  switch (trigger) {
    case "broadcast":
      return null;
    case "count_reached":
      return (
        <div class="row fields">
          <TextField form={form} name="count" label="Number" type="number" min={1} max={9_999} required />
          <Select form={form} name="metric" label="Of" options={[["", "Choose"], ...METRICS]} required />
        </div>
      );
    case "inactivity":
      return (
        <div class="row fields">
          <TextField
            form={form}
            name="period_in_days"
            label="Days"
            type="number"
            min={1}
            max={365}
            required
          />
          <Select form={form} name="metric" label="Without" options={[["", "Anything"], ...METRICS]} />
        </div>
      );
    case "recurring":
      return <Recurrence form={form} />;
    default:
      return (
        <div class="row fields">
          <TextField
            form={form}
            name="delay_value"
            label="Delay (optional)"
            hint="Empty: immediately, in place of the built-in e-mail."
            type="number"
            min={0}
            max={9_999}
          />
          <Select form={form} name="delay_interval" label="Unit" options={UNITS} />
        </div>
      );
  }
}

function Recurrence({ form }: { form: FormState<Values> }) {
  const isWeekly = form.values.frequency.value === "weekly";
  return (
    <div class="row fields">
      <Select
        form={form}
        name="frequency"
        label="How often"
        options={[
          ["weekly", "Every week"],
          ["monthly", "Every month"],
        ]}
      />
      <Select form={form} name="day" label="Day" options={isWeekly ? WEEK_DAYS : MONTH_DAYS} />
      <TextField form={form} name="hour" label="Hour" type="number" min={0} max={23} required />
      <TextField form={form} name="minute" label="Minute" type="number" min={0} max={59} required />
    </div>
  );
}
