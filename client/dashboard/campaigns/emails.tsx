import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { Checkbox } from "../../ui/form/field.tsx";
import { fillForm, Form, useForm } from "../../ui/form/form.tsx";
import { EMAIL_KINDS, EMAILS, type EmailKind } from "../email-kinds.ts";
import { LANGUAGE_OPTIONS, type Language } from "../languages.tsx";
import { MailNotice } from "../mail-notice.tsx";
import { may } from "../session/session.ts";
import type { CampaignViewProps } from "./campaign.tsx";
import type { Campaign } from "./choices.tsx";
import { saveCampaign } from "./save.ts";

/** Which e-mails promoters get, with previews. */
export function CampaignEmails(props: CampaignViewProps) {
  const form = useForm(valuesOf(props.campaign));
  const shown = useSignal<EmailKind | null>(null);
  return (
    <div class="card stack">
      <MailNotice instead="Choose now what to send later; each promoter's page has a sign-in link to copy." />
      <Form
        form={form}
        action="Save the e-mails"
        onSubmit={async (emails) => fillForm(form, valuesOf(await saveCampaign(props, { emails })))}
      >
        <fieldset class="stack" disabled={!may("manager")}>
          {EMAIL_KINDS.map((kind) => (
            <div key={kind} class="row spread">
              <Checkbox form={form} name={kind} label={EMAILS[kind].label} hint={EMAILS[kind].hint} />
              <button type="button" class="button little" onClick={() => (shown.value = kind)}>
                Preview<span class="unseen"> of {EMAILS[kind].label}</span>
              </button>
            </div>
          ))}
        </fieldset>
      </Form>
      <p class="small soft">
        Write texts of your own, tips that follow later, and news on the page{" "}
        <a href="/admin/emails">E-mails</a>. In their portal, promoters choose what they want.
      </p>
      {shown.value && (
        <Preview id={props.campaign.id} kind={shown.value} onClose={() => (shown.value = null)} />
      )}
    </div>
  );
}

function valuesOf({ emails }: Campaign) {
  return emails as Record<EmailKind, boolean>;
}

function Preview({ id, kind, onClose }: { id: number; kind: EmailKind; onClose: () => void }) {
  const language = useSignal<Language | "">("");
  const loaded = useLoad(
    (signal) => {
      const query = { kind, ...(language.value !== "" && { language: language.value }) };
      const params = { path: { id }, query };
      return answer(api.GET("/api/v2/company/campaigns/{id}/email_preview", { params, signal }));
    },
    [id, kind, language.value],
  );
  return (
    <Dialog title={`Preview: ${EMAILS[kind].label}`} onClose={onClose}>
      <div class="stack">
        <select
          class="input"
          aria-label="Language of the preview"
          value={language.value}
          onChange={({ currentTarget }) => (language.value = currentTarget.value as Language | "")}
        >
          <option value="">Promoters without a language</option>
          {LANGUAGE_OPTIONS.map(([code, name]) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
        <Await loaded={loaded}>
          {({ subject, text }) => (
            <div class="stack">
              <strong dir="auto">{subject}</strong>
              <div class="letter" dir="auto">
                {text}
              </div>
              <p class="small soft">
                Jane Doe is an example. You can edit the text on the page <a href="/admin/emails">E-mails</a>.
              </p>
            </div>
          )}
        </Await>
      </div>
    </Dialog>
  );
}
