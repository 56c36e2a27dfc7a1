import { useFilters } from "../../ui/fragment.ts";
import { Tabs } from "../../ui/feedback/tabs.tsx";
import { Page } from "../../ui/shell/page.tsx";
import { Agreement } from "./agreement.tsx";
import { EmailSettings } from "./email-settings.tsx";
import { InvoiceDetails } from "./invoice-details.tsx";
import { LanguageSettings } from "./language-settings.tsx";
import { Leave } from "./leave.tsx";
import { Password } from "./password.tsx";
import { PayoutMethods } from "./payout-methods.tsx";
import { Profile } from "./profile.tsx";
import { SignOutEverywhere } from "./sign-out-everywhere.tsx";
import { TaxForm } from "./tax-form.tsx";
import { t } from "../../languages/messages.ts";

const tabs = () => [
  { id: "profile", title: t("settings.profile"), panel: () => <Profile /> },
  { id: "payout", title: t("settings.payout"), panel: () => <PayoutMethods /> },
  { id: "invoice", title: t("settings.invoice"), panel: () => <Invoicing /> },
  { id: "emails", title: t("settings.emails"), panel: () => <EmailSettings /> },
  { id: "language", title: t("settings.language"), panel: () => <LanguageSettings /> },
  { id: "password", title: t("password"), panel: () => <Access /> },
  { id: "leave", title: t("settings.leave"), panel: () => <Leave /> },
];

/** The password, and the way out of all browsers. */
function Access() {
  return (
    <div class="stack">
      <Password />
      <SignOutEverywhere />
    </div>
  );
}

/** All that invoices and tax offices need. */
function Invoicing() {
  return (
    <div class="stack">
      <InvoiceDetails />
      <Agreement />
      <TaxForm />
    </div>
  );
}

/** The promoter's profile, payout methods and e-mail settings. */
export function Settings() {
  const filters = useFilters({ tab: "profile" });
  return (
    <Page title={t("page.settings")}>
      <Tabs
        label={t("page.settings")}
        tabs={tabs()}
        shown={filters.values.value.tab}
        onShow={(tab) => filters.set({ tab })}
      />
    </Page>
  );
}
