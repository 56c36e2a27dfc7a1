import { useFilters } from "../../ui/fragment.ts";
import { Tabs } from "../../ui/feedback/tabs.tsx";
import { Page } from "../../ui/shell/page.tsx";
import { Agreement } from "./agreement.tsx";
import { EmailSettings } from "./email-settings.tsx";
import { InvoiceDetails } from "./invoice-details.tsx";
import { Password } from "./password.tsx";
import { PayoutMethods } from "./payout-methods.tsx";
import { Profile } from "./profile.tsx";
import { TaxForm } from "./tax-form.tsx";

const TABS = [
  { id: "profile", title: "Profile", panel: () => <Profile /> },
  { id: "payout", title: "Payout method", panel: () => <PayoutMethods /> },
  { id: "invoice", title: "Invoice details", panel: () => <Invoicing /> },
  { id: "emails", title: "E-mails", panel: () => <EmailSettings /> },
  { id: "password", title: "Password", panel: () => <Password /> },
];

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
    <Page title="Settings">
      <Tabs
        label="Settings"
        tabs={TABS}
        shown={filters.values.value.tab}
        onShow={(tab) => filters.set({ tab })}
      />
    </Page>
  );
}
