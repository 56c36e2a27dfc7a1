import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Await } from "../../ui/feedback/state.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { Checkbox } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";

type Settings = components["schemas"]["EmailSettings"];

const TOPICS = [
  { name: "emails_opt_new_referral", label: "A person signed up by my link" },
  { name: "emails_opt_new_commission", label: "I have earned a commission" },
  { name: "emails_opt_payout", label: "I have been paid" },
  { name: "emails_opt_drip", label: "There are tips for me" },
  { name: "marketing_consent", label: "There is news from the company" },
] as const satisfies { name: keyof Settings; label: string }[];

/** The e-mails that the promoter wants. */
export function EmailSettings() {
  const loaded = useLoad(() => answer(api.GET("/api/v2/affiliate/email_settings")));
  return (
    <section class="card narrow" aria-label="E-mails">
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
      action="Save my choice"
      onSubmit={async (body) => {
        await answer(api.PUT("/api/v2/affiliate/email_settings/{id}", { params, body }));
        toast("Your choice is saved.");
      }}
    >
      <p class="soft">E-mail me when:</p>
      {TOPICS.map((topic) => (
        <Checkbox key={topic.name} form={form} {...topic} />
      ))}
    </Form>
  );
}
