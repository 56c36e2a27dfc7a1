import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Await } from "../../ui/feedback/state.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { requiredCents, typedAmount } from "../../ui/form/amount.ts";
import { Checkbox, Select, TextField } from "../../ui/form/field.tsx";
import { fillForm, Form, useForm, type FormState } from "../../ui/form/form.tsx";
import { Page } from "../../ui/shell/page.tsx";
import { currencyOptions } from "../currencies.ts";
import { LANGUAGE_OPTIONS } from "../languages.tsx";
import { findSession } from "../session/session.ts";
import { TrackerFields, trackerOf, typedTracker } from "./tracker-fields.tsx";

type Account = components["schemas"]["Account"];

const CYCLES: [Account["payout_cycle"], string][] = [
  ["monthly", "Every month"],
  ["biweekly", "Every two weeks"],
  ["weekly", "Every week"],
];
const SOURCES: [Account["signup_source"], string][] = [
  ["both", "Pages and your server"],
  ["server", "Only your server"],
  ["browser", "Only pages"],
];
const ZONES = Intl.supportedValuesOf("timeZone").map((zone): [string, string] => [zone, zone]);

/** `/admin/settings/account` */
export function AccountSettings() {
  const account = useLoad((signal) => answer(api.GET("/api/v2/company/account", { signal })));
  return (
    <Page title="Account">
      <Await loaded={account}>{(found) => <AccountForm account={found} />}</Await>
    </Page>
  );
}

function AccountForm({ account }: { account: Account }) {
  const form = useForm(valuesOf(account));
  return (
    <Form
      form={form}
      action="Save the settings"
      onSubmit={async (values) => {
        const saved = await answer(api.PUT("/api/v2/company/account", { body: changesOf(values) }));
        fillForm(form, valuesOf(saved));
        // Figures and dates use the new currency and time zone from now on.
        await findSession();
        toast("The settings were saved");
      }}
    >
      <Company form={form} zone={account.time_zone} currency={account.currency} />
      <Commissions form={form} />
      <Payouts form={form} />
      <PrivacyAndSafety form={form} />
      <TrackerFields form={form} />
    </Form>
  );
}

type Settings = ReturnType<typeof valuesOf>;

function valuesOf(account: Account) {
  return {
    name: account.name,
    currency: account.currency,
    time_zone: account.time_zone,
    mail_sender: account.mail_sender ?? "",
    promoter_language: account.promoter_language as string,
    payout_cycle: account.payout_cycle as string,
    net_payout_days: String(account.net_payout_days),
    min_payment: typedAmount(account.min_payment, account.currency),
    min_paying_customers: String(account.min_paying_customers),
    max_auto_approve:
      account.max_auto_approve === null ? "" : typedAmount(account.max_auto_approve, account.currency),
    less_tax: account.commission_base.less_tax,
    less_shipping: account.commission_base.less_shipping,
    fee_percentage: String(account.commission_base.fee_percentage),
    requires_payout_method: account.requires_payout_method,
    requires_invoice_details: account.requires_invoice_details,
    signup_source: account.signup_source as string,
    counts_social_clicks_as_ads: account.counts_social_clicks_as_ads,
    honours_privacy_control: account.honours_privacy_control,
    requires_second_factor: account.requires_second_factor,
    ...typedTracker(account.tracker),
  };
}

/** @throws Refusal */
function changesOf({
  less_tax,
  less_shipping,
  fee_percentage,
  global,
  data_global,
  cookie,
  script,
  reads_fragment,
  ...values
}: Settings) {
  // The amounts are in the new currency.
  const cents = (name: "min_payment" | "max_auto_approve") =>
    requiredCents(name, values[name], values.currency.trim().toUpperCase());
  return {
    ...values,
    commission_base: { less_tax, less_shipping, fee_percentage: Number(fee_percentage) },
    tracker: trackerOf({ global, data_global, cookie, script, reads_fragment }),
    mail_sender: values.mail_sender || null,
    promoter_language: values.promoter_language as Account["promoter_language"],
    payout_cycle: values.payout_cycle as Account["payout_cycle"],
    signup_source: values.signup_source as Account["signup_source"],
    net_payout_days: Number(values.net_payout_days),
    min_paying_customers: Number(values.min_paying_customers),
    min_payment: cents("min_payment"),
    max_auto_approve: values.max_auto_approve === "" ? null : cents("max_auto_approve"),
  };
}

/** `zone` is the account's time zone. The browser may not know it. */
function Company({ form, zone, currency }: { form: FormState<Settings>; zone: string; currency: string }) {
  const zones = ZONES.some(([known]) => known === zone)
    ? ZONES
    : [[zone, zone] as [string, string], ...ZONES];
  return (
    <section class="card stack">
      <h2>Company</h2>
      <TextField form={form} name="name" label="Name" required />
      <div class="grid">
        <Select
          form={form}
          name="currency"
          label="Currency"
          hint="It can't change once there are amounts."
          options={currencyOptions(currency)}
        />
        <Select
          form={form}
          name="time_zone"
          label="Time zone"
          hint="Payout periods, holds, due dates and the days of reports follow it. A change holds from the next midnight on: days that were counted stay."
          options={zones}
        />
      </div>
      <TextField
        form={form}
        name="mail_sender"
        label="Sender of e-mails"
        hint={
          <>
            Such as Acme &lt;partners@acme.example&gt;. If the server may not send from its domain, it only
            gets the replies. Logo, colour and name for promoters are on the page{" "}
            <a href="/admin/settings/brand">Brand</a>.
          </>
        }
      />
      <Select
        form={form}
        name="promoter_language"
        label="Language of promoters"
        hint="Of e-mails to those who have not signed in yet, and of invoices. Later, each promoter has their own for e-mails."
        options={LANGUAGE_OPTIONS}
      />
    </section>
  );
}

function Commissions({ form }: { form: FormState<Settings> }) {
  return (
    <section class="card stack">
      <h2>Commissions</h2>
      <p>{baseSentence(form.values)}</p>
      <Checkbox form={form} name="less_tax" label="Leave out tax" />
      <Checkbox form={form} name="less_shipping" label="Leave out shipping" />
      <TextField
        form={form}
        name="fee_percentage"
        label="Percentage for fees"
        type="number"
        min={0}
        step="any"
        hint="Deducted from the rest. 0 for none."
      />
      <p class="hint">
        This is about payments that Stripe or Paddle reports from now on. Earlier ones keep their terms, and
        sales that you send yourself count as you send them.
      </p>
    </section>
  );
}

/** A sentence about what commissions are computed on. */
function baseSentence(values: FormState<Settings>["values"]): string {
  const given = ["what the customer paid"];
  if (values.less_tax.value) given.push("less tax");
  if (values.less_shipping.value) given.push("less shipping");
  if (Number(values.fee_percentage.value) > 0) given.push(`less ${values.fee_percentage.value}% for fees`);
  return `Commissions are computed on ${given.join(", ")}.`;
}

function Payouts({ form }: { form: FormState<Settings> }) {
  return (
    <section class="card stack">
      <h2>Payouts</h2>
      <div class="grid">
        <Select form={form} name="payout_cycle" label="Payouts are made" options={CYCLES} />
        <TextField
          form={form}
          name="net_payout_days"
          label="Days until they are due"
          type="number"
          min={0}
          hint="Counted from the end of the period."
        />
        <TextField form={form} name="min_payment" label="Smallest payment" inputMode="decimal" />
        <TextField
          form={form}
          name="min_paying_customers"
          label="Fewest paying customers"
          type="number"
          min={0}
          hint="A promoter with fewer is not paid yet."
        />
        <TextField
          form={form}
          name="max_auto_approve"
          label="Larger commissions wait for approval"
          inputMode="decimal"
          hint="Leave it empty for no limit."
        />
      </div>
      <p class="hint">
        Payment files pay from your <a href="/admin/settings/bank-account">bank account</a>.
      </p>
      <Checkbox
        form={form}
        name="requires_payout_method"
        label="Pay only promoters who have chosen a payout method"
      />
      <Checkbox
        form={form}
        name="requires_invoice_details"
        label="Pay only promoters whose invoice details are approved"
      />
    </section>
  );
}

function PrivacyAndSafety({ form }: { form: FormState<Settings> }) {
  return (
    <section class="card stack">
      <h2>Privacy and safety</h2>
      <Select
        form={form}
        name="signup_source"
        label="Sign-ups come from"
        hint="Anyone can imitate a page. What your server says about the same person outranks it, and if all sign-ups come from your server, pages record only visits."
        options={SOURCES}
      />
      <Checkbox
        form={form}
        name="counts_social_clicks_as_ads"
        label="Clicks from Facebook, Instagram and Pinterest count as clicks on ads"
        hint="Links in their ordinary posts and in their ads look the same. If this is off, only a paid utm_medium shows an ad. The settings of each campaign say what happens to visits from ads."
      />
      <Checkbox
        form={form}
        name="honours_privacy_control"
        label="Don't track visitors whose browser asks for privacy"
        hint="Browsers say so with the signal Global Privacy Control."
      />
      <Checkbox
        form={form}
        name="requires_second_factor"
        label="Everybody in the team needs a second factor"
        hint="A code from an app on their phone, besides the password."
      />
    </section>
  );
}
