import { useSignal } from "@preact/signals";
import { useState } from "preact/hooks";
import { answer, api } from "../ui/api/client.ts";
import type { components } from "../ui/api/types.ts";
import { TextField } from "../ui/form/field.tsx";
import { Form, useForm, type FormState } from "../ui/form/form.tsx";
import { answersOf, initialAnswers, Questions } from "../ui/form/questions.tsx";
import { Offer } from "../ui/offer.tsx";
import { LonePage } from "../ui/shell/page.tsx";

type Campaign = components["schemas"]["JoinPage"];
type Joined = components["schemas"]["Joined"];

/** The invitation and the recruiter, from the fragment, which is in no log. */
export function givenBy({ hash }: Location) {
  const given = new URLSearchParams(hash.slice(1));
  return { invitation: given.get("invitation"), ref: given.get("ref") };
}

/** The sign-up form of a campaign. */
export function JoinForm({ campaign }: { campaign: Campaign }) {
  const [{ invitation, ref }] = useState(() => givenBy(location));
  const form = useForm({
    first_name: "",
    last_name: "",
    email: "",
    password: "",
    company_website: "",
    ...initialAnswers(campaign),
  });
  const joined = useSignal<Joined | null>(null);
  if (joined.value !== null) return <Done campaign={campaign} joined={joined.value} />;
  const texts = form as unknown as FormState<Record<string, string>>;
  return (
    <LonePage title={`Become a promoter of ${campaign.company_name}`}>
      <p class="soft">{campaign.description ?? campaign.name}</p>
      <Offer lines={campaign.offer} title="What you get" level={2} />
      <Form
        form={form}
        action={campaign.needs_approval ? "Apply" : "Join"}
        onSubmit={async (values) => {
          const { first_name: firstName, last_name: lastName, email, password } = values;
          const body = {
            first_name: firstName,
            last_name: lastName,
            email,
            password,
            ...(values.company_website !== "" && { company_website: values.company_website }),
            ...(invitation !== null && { invitation }),
            ...(ref !== null && { ref }),
            ...answersOf(campaign, values),
          };
          const params = { path: { campaign: campaign.id } };
          joined.value = await answer(api.POST("/api/v2/join/{campaign}", { params, body }));
        }}
      >
        <TextField form={texts} name="first_name" label="First name" autocomplete="given-name" required />
        <TextField form={texts} name="last_name" label="Last name (optional)" autocomplete="family-name" />
        <TextField form={texts} name="email" type="email" label="E-mail" autocomplete="username" required />
        <TextField
          form={texts}
          name="password"
          type="password"
          label="Password"
          hint="At least 8 characters."
          autocomplete="new-password"
          minLength={8}
          required
        />
        <Questions form={form} asked={campaign} />
        <Trap form={texts} />
      </Form>
      <p class="small">
        Already a promoter? <a href={portalAddress(campaign, invitation)}>Sign in</a>
      </p>
    </LonePage>
  );
}

/** The URL of the portal, where an existing promoter can join this campaign. */
function portalAddress({ id }: Campaign, invitation: string | null): string {
  const given = { join: String(id), ...(invitation !== null && { invitation }) };
  return `/portal/campaigns#${new URLSearchParams(given)}`;
}

/** A field that people can't see or reach, but bots fill in. */
function Trap({ form }: { form: FormState<Record<string, string>> }) {
  const value = form.values["company_website"];
  return (
    <div class="trap" aria-hidden="true">
      <label>
        Leave this empty
        <input
          name="company_website"
          tabIndex={-1}
          autocomplete="off"
          value={value?.value}
          onInput={(event) => value && (value.value = event.currentTarget.value)}
        />
      </label>
    </div>
  );
}

/** The same for all addresses, so that it does not reveal who is a promoter. */
function Done({ campaign, joined }: { campaign: Campaign; joined: Joined }) {
  return (
    <LonePage title={joined.needs_confirmation ? "Check your inbox" : "Thank you"}>
      <p role="status">
        {joined.needs_confirmation
          ? "We have sent you an e-mail. Open the link in it to confirm your address and to sign in."
          : "You can sign in now."}
      </p>
      {joined.state === "pending" && (
        <p class="soft">{campaign.company_name} looks at each application. You will hear from them.</p>
      )}
      {!joined.needs_confirmation && (
        <div>
          <a class="button main" href="/portal">
            Sign in
          </a>
        </div>
      )}
    </LonePage>
  );
}
