import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Await } from "../../ui/feedback/state.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { TextArea, TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";

type Current = components["schemas"]["CurrentPromoter"];

const FIELDS = [
  ["first_name", "First name", "given-name"],
  ["last_name", "Last name", "family-name"],
  ["website", "Website", "url"],
  ["phone_number", "Phone", "tel"],
] as const;

/** The promoter's profile. */
export function Profile() {
  const loaded = useLoad(() => answer(api.GET("/api/v2/affiliate/promoters/current")));
  return (
    <section class="card narrow" aria-label="Profile">
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
      action="Save the profile"
      onSubmit={async ({ email: _email, ...given }) => {
        await answer(api.PUT("/api/v2/affiliate/promoters/current", { body: { profile: given } }));
        toast("Your profile is saved.");
      }}
    >
      <TextField form={form} name="email" label="E-mail" hint="The company can change it." readOnly />
      {FIELDS.map(([name, label, autocomplete]) => (
        <TextField key={name} form={form} name={name} label={label} autocomplete={autocomplete} />
      ))}
      <TextArea form={form} name="description" label="About you" />
    </Form>
  );
}
