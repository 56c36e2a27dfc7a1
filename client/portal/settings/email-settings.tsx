import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Await } from "../../ui/feedback/state.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { Checkbox } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { t, type TextKey } from "../../languages/messages.ts";

type Settings = components["schemas"]["EmailSettings"];

/** The topics, with the keys of their texts. */
const TOPICS = [
  { name: "emails_opt_new_referral", label: "emails.new_referral" },
  { name: "emails_opt_new_commission", label: "emails.new_commission" },
  { name: "emails_opt_payout", label: "emails.payout" },
  { name: "emails_opt_drip", label: "emails.drip" },
  { name: "marketing_consent", label: "emails.news" },
] as const satisfies { name: keyof Settings; label: TextKey }[];

/** The e-mails that the promoter wants. */
export function EmailSettings() {
  const loaded = useLoad(() => answer(api.GET("/api/v2/affiliate/email_settings")));
  return (
    <section class="card narrow" aria-label={t("settings.emails")}>
      <Await loaded={loaded}>{({ data: [settings] }) => settings && <TopicsForm of={settings} />}</Await>
    </section>
  );
}

function TopicsForm({ of: settings }: { of: Settings }) {
  const form = useForm({
    emails_opt_new_referral: settings.emails_opt_new_referral,
    emails_opt_new_commission: settings.emails_opt_new_commission,
    emails_opt_payout: settings.emails_opt_payout,
    emails_opt_drip: settings.emails_opt_drip,
    marketing_consent: settings.marketing_consent,
  });
  const params = { path: { id: settings.id } };
  return (
    <Form
      form={form}
      action={t("emails.save")}
      onSubmit={async (body) => {
        await answer(api.PUT("/api/v2/affiliate/email_settings/{id}", { params, body }));
        toast(t("emails.saved"));
      }}
    >
      <p class="soft">{t("emails.when")}</p>
      {TOPICS.map((topic) => (
        <Checkbox key={topic.name} form={form} name={topic.name} label={t(topic.label)} />
      ))}
    </Form>
  );
}
