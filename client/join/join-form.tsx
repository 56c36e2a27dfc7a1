import { useSignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { answer, api } from "../ui/api/client.ts";
import type { components } from "../ui/api/types.ts";
import { wear } from "../ui/brand.ts";
import { TextField } from "../ui/form/field.tsx";
import { Form, useForm, type FormState } from "../ui/form/form.tsx";
import { answersOf, initialAnswers, Questions } from "../ui/form/questions.tsx";
import { Offer } from "../ui/offer.tsx";
import { LonePage } from "../ui/shell/page.tsx";
import { t } from "../languages/messages.ts";

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
  useEffect(() => wear(campaign.brand), [campaign]);
  if (joined.value !== null) return <Done campaign={campaign} joined={joined.value} />;
  const texts = form as unknown as FormState<Record<string, string>>;
  return (
    <LonePage title={t("join.title", { company: campaign.company_name })}>
      <p class="soft">{campaign.description ?? campaign.name}</p>
      <Offer lines={campaign.offer} title={t("join.offer")} level={2} />
      <Form
        form={form}
        action={t(campaign.needs_approval ? "join.apply" : "join.join")}
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
        <Fields form={texts} />
        <Questions form={form} asked={campaign} />
        <Trap form={texts} />
      </Form>
      <p class="small">
        {t("join.known")} <a href={portalAddress(campaign, invitation)}>{t("sign_in")}</a>
      </p>
    </LonePage>
  );
}

function Fields({ form }: { form: FormState<Record<string, string>> }) {
  return (
    <>
      <TextField form={form} name="first_name" label={t("first_name")} autocomplete="given-name" required />
      <TextField
        form={form}
        name="last_name"
        label={t("optional", { label: t("last_name") })}
        autocomplete="family-name"
      />
      <TextField form={form} name="email" type="email" label={t("email")} autocomplete="username" required />
      <TextField
        form={form}
        name="password"
        type="password"
        label={t("password")}
        hint={t("password.hint")}
        autocomplete="new-password"
        minLength={8}
        required
      />
    </>
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
        {t("join.trap")}
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
    <LonePage title={t(joined.needs_confirmation ? "join.inbox" : "join.thanks")}>
      <p role="status">{t(joined.needs_confirmation ? "join.inbox.text" : "join.thanks.text")}</p>
      {joined.state === "pending" && (
        <p class="soft">{t("join.review", { company: campaign.company_name })}</p>
      )}
      {!joined.needs_confirmation && (
        <div>
          <a class="button main" href="/portal">
            {t("sign_in")}
          </a>
        </div>
      )}
    </LonePage>
  );
}
