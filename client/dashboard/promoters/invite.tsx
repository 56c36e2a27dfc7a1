import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import type { components } from "../../ui/api/types.ts";
import { Copyable, Paste } from "../../ui/feedback/copy.tsx";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { several } from "../../ui/format.ts";
import { Select, TextArea } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { campaignOptions, type Campaign } from "../campaigns/choices.tsx";
import { LANGUAGE_OPTIONS, type Language } from "../languages.tsx";
import { MailNotice } from "../mail-notice.tsx";
import { addressesIn } from "./pasted-addresses.ts";

type Invited = components["schemas"]["InvitedPromoters"];

const LINES =
  'One per line, or separated by commas; at most 100. With a name if you like: Hans Huber <hans@example.com>, or "Huber, Hans" <hans@example.com>.';

/** Invites many people with a message, or shows the link to join. */
export function InvitePeople({
  campaigns,
  reload,
  onClose,
}: {
  campaigns: Campaign[];
  reload: () => Promise<void>;
  onClose: () => void;
}) {
  const usual = campaigns.find(({ is_default: isDefault }) => isDefault) ?? campaigns[0];
  const form = useForm({ emails: "", message: "", language: "", campaign_id: String(usual?.id ?? "") });
  const invited = useSignal<Invited | null>(null);
  const chosen = campaigns.find(({ id }) => String(id) === form.values.campaign_id.value);
  if (invited.value !== null) return <Outcome invited={invited.value} onClose={onClose} />;
  return (
    <Dialog title="Invite people" onClose={onClose}>
      <div class="stack wide">
        <Form
          form={form}
          action="Invite them"
          onSubmit={async ({ emails, message, language, campaign_id: campaignId }) => {
            const body = {
              emails: addressesIn(emails),
              ...(message !== "" && { message }),
              ...(language !== "" && { language: language as Language }),
              ...(campaignId !== "" && { campaign_id: Number(campaignId) }),
            };
            invited.value = await answer(api.POST("/api/v2/company/promoters/invite", { body }));
            const news = invited.value.promoters.filter(({ is_new: isNew }) => isNew).length;
            toast(`${several(news, "promoter")} added`);
            await reload();
          }}
        >
          <TextArea form={form} name="emails" label="E-mail addresses" hint={LINES} rows={4} required />
          <TextArea
            form={form}
            name="message"
            label="Your message (optional)"
            hint="The e-mail begins with it. Then come what the campaign pays, their link, and a link to the portal."
            rows={3}
            maxLength={2_000}
          />
          <Select
            form={form}
            name="language"
            label="Their language"
            options={[["", "The usual one"], ...LANGUAGE_OPTIONS]}
          />
          {campaigns.length > 1 && (
            <Select form={form} name="campaign_id" label="Campaign" options={campaignOptions(campaigns)} />
          )}
          <MailNotice instead="You get the links to copy." />
        </Form>
        {chosen && <JoinLink url={chosen.signup_url} />}
      </div>
    </Dialog>
  );
}

function JoinLink({ url }: { url: string }) {
  return (
    <div class="stack tight">
      <h3>Or give them this link</h3>
      <p class="small soft">Anyone who opens it can join.</p>
      <Copyable text={url} of="the address of the sign-up page" />
    </div>
  );
}

function Outcome({ invited: { promoters }, onClose }: { invited: Invited; onClose: () => void }) {
  const known = promoters.filter(({ is_new: isNew }) => !isNew);
  const unmailed = promoters.filter(({ is_new: isNew, is_mailed: isMailed }) => isNew && !isMailed);
  const mailed = promoters.filter(({ is_mailed: isMailed }) => isMailed);
  return (
    <Dialog title="Invited" onClose={onClose}>
      <div class="stack">
        {mailed.length > 0 && <p>{several(mailed.length, "e-mail")} on the way.</p>}
        {unmailed.length > 0 && (
          <>
            <p>
              No e-mail was sent. Give each of them their own link: it works for seven days, until they have
              chosen a password.
            </p>
            <Paste
              text={unmailed.map((each) => `${each.email}\n${each.password_setup_url ?? ""}`).join("\n\n")}
              of="the links"
            />
          </>
        )}
        {known.length > 0 && (
          <p class="soft">
            Promoters already, and left as they are: {known.map(({ email }) => email).join(", ")}.
          </p>
        )}
        <div class="dialog-foot">
          <button class="button main" onClick={onClose}>
            Done
          </button>
        </div>
      </div>
    </Dialog>
  );
}
