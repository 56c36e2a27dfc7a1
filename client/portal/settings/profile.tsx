import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Await } from "../../ui/feedback/state.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { TextArea, TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { t } from "../../languages/messages.ts";

type Current = components["schemas"]["CurrentPromoter"];

const FIELDS = [
  ["first_name", "first_name", "given-name"],
  ["last_name", "last_name", "family-name"],
  ["website", "profile.website", "url"],
  ["phone_number", "profile.phone", "tel"],
] as const;

/** The promoter's profile. */
export function Profile() {
  const loaded = useLoad(() => answer(api.GET("/api/v2/affiliate/promoters/current")));
  return (
    <section class="card narrow" aria-label={t("settings.profile")}>
      <Await loaded={loaded}>{(current) => <ProfileForm current={current} />}</Await>
    </section>
  );
}

function ProfileForm({ current: { email, profile } }: { current: Current }) {
  const form = useForm({
    email,
    first_name: profile.first_name ?? "",
    last_name: profile.last_name ?? "",
    website: profile.website ?? "",
    phone_number: profile.phone_number ?? "",
    description: profile.description ?? "",
  });
  return (
    <Form
      form={form}
      action={t("profile.save")}
      onSubmit={async ({ email: _email, ...given }) => {
        await answer(api.PUT("/api/v2/affiliate/promoters/current", { body: { profile: given } }));
        toast(t("profile.saved"));
      }}
    >
      <TextField form={form} name="email" label={t("email")} hint={t("profile.email.hint")} readOnly />
      {FIELDS.map(([name, label, autocomplete]) => (
        <TextField key={name} form={form} name={name} label={t(label)} autocomplete={autocomplete} />
      ))}
      <TextArea form={form} name="description" label={t("profile.about")} />
    </Form>
  );
}
