import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { Checkbox } from "../../ui/form/field.tsx";
import { fillForm, Form, useForm } from "../../ui/form/form.tsx";
import { EMAIL_KINDS, EMAILS, type EmailKind } from "../email-kinds.ts";
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
  const loaded = useLoad(
    (signal) => {
      const params = { path: { id }, query: { kind } };
      return answer(api.GET("/api/v2/company/campaigns/{id}/email_preview", { params, signal }));
    },
    [id, kind],
  );
  return (
    <Dialog title={`Preview: ${EMAILS[kind].label}`} onClose={onClose}>
      <Await loaded={loaded}>
        {({ subject, text }) => (
          <div class="stack">
            <strong>{subject}</strong>
            <div class="letter">{text}</div>
            <p class="small soft">
              Jane Doe is an example. You can edit the text on the page <a href="/admin/emails">E-mails</a>.
            </p>
          </div>
        )}
      </Await>
    </Dialog>
  );
}
