import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Await } from "../../ui/feedback/state.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { Checkbox } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";

type Wanted = components["schemas"]["EmailSettings"];

const NOT_YET = "None is sent yet. Your choice is kept.";

const TOPICS: [name: keyof Wanted, label: string, hint?: string][] = [
  ["new_referral", "Somebody signed up by my link"],
  ["new_commission", "I have earned a commission"],
  ["payout", "I have been paid"],
  ["drip", "There is help to begin", NOT_YET],
  ["marketing", "There is news from the company", NOT_YET],
];

/** The e-mails that the promoter wants. */
export function EmailSettings() {
  const loaded = useLoad(() => answer(api.GET("/api/v2/affiliate/email_settings")));
  return (
    <section class="card narrow" aria-label="E-mails">
      <Await loaded={loaded}>{(wanted) => <TopicsForm wanted={wanted} />}</Await>
    </section>
  );
}

function TopicsForm({ wanted }: { wanted: Wanted }) {
  const form = useForm({ ...wanted });
  return (
    <Form
      form={form}
      action="Save my choice"
      onSubmit={async (body) => {
        await answer(api.PUT("/api/v2/affiliate/email_settings", { body }));
        toast("Your choice is saved.");
      }}
    >
      <p class="soft">Write to me when:</p>
      {TOPICS.map(([name, label, hint]) => (
        <Checkbox key={name} form={form} name={name} label={label} hint={hint} />
      ))}
    </Form>
  );
}
