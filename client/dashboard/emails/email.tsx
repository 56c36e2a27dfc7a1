import { useSignal, type Signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso/router";
import { answer, api, made, page } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { at } from "../../ui/base.ts";
import { ask } from "../../ui/feedback/dialog.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { toast } from "../../ui/feedback/toast.tsx";
import { Checkbox, TextArea, TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { useFilters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { CampaignBoxes } from "../campaigns/choices.tsx";
import { LANGUAGES, TranslatedText, Translations } from "../languages.tsx";
import { may, session } from "../session/session.ts";
import { Preview, type ShownLanguage } from "./preview.tsx";
import {
  isInstead,
  loadTriggers,
  TRIGGER_NAMES,
  TRIGGERS,
  type Email,
  type Translation,
  type Trigger,
  type TriggerInfo,
} from "./query.ts";
import { settingsOf, TriggerFields, triggerValues } from "./trigger-fields.tsx";

const NEW = "new";

/** `/admin/emails/:id`, or `/admin/emails/new#trigger=…` */
export function EmailPage() {
  const id = useRoute().params["id"] ?? NEW;
  const filters = useFilters({ trigger: "broadcast" });
  const loaded = useLoad(() => loadParts(id), [id]);
  const email = loaded.data.value?.email;
  const shown = useSignal<ShownLanguage>("");
  return (
    <Page
      title={email?.name ?? "Write an e-mail"}
      actions={email && may("manager") && <Actions of={email} shown={shown} />}
    >
      <Await loaded={loaded}>
        {(parts) => (
          <Editor key={id} {...parts} shown={shown} trigger={triggerNamed(filters.values.value.trigger)} />
        )}
      </Await>
    </Page>
  );
}

interface Parts {
  /** Null for a new one. */
  email: Email | null;
  triggers: TriggerInfo[];
  campaigns: { id: number; name: string }[];
}

async function loadParts(id: string): Promise<Parts> {
  const path = { id: Number(id) };
  const [email, triggers, campaigns] = await Promise.all([
    id === NEW ? null : answer(api.GET("/api/v2/company/emails/{id}", { params: { path } })),
    loadTriggers(),
    page(api.GET("/api/v2/company/campaigns", { params: { query: { per_page: 100 } } })),
  ]);
  return { email, triggers, campaigns: campaigns.rows };
}

function triggerNamed(name: string): Trigger {
  return TRIGGER_NAMES.find((each) => each === name) ?? "broadcast";
}

interface EditorProps extends Parts {
  trigger: Trigger;
  shown: Signal<ShownLanguage>;
}

function Editor({ email, triggers, campaigns, trigger, shown }: EditorProps) {
  const { route } = useLocation();
  const allowed = useSignal<ReadonlySet<number>>(new Set(email?.allowed_campaign_ids));
  const form = useForm(valuesOf(email, trigger, triggers));
  const translations = useSignal<Translation[]>(email?.translations ?? []);
  const { subject, content, trigger_on: chosen } = form.values;
  const chosenTrigger = chosen.value as Trigger;
  const known = triggers.find(({ trigger_on: name }) => name === chosenTrigger);
  const [firstCampaign] = allowed.value;
  const save = async (given: ReturnType<typeof valuesOf>) => {
    const body = {
      name: given.name,
      subject: given.subject,
      content: given.content,
      translations: translations.value,
      allowed_campaign_ids: [...allowed.value],
      trigger: {
        enabled: given.enabled,
        trigger_on: given.trigger_on as Trigger,
        // The server reads numbers from text.
        settings: settingsOf(given) as object,
      },
    };
    if (email === null) await made(api.POST("/api/v2/company/emails", { body }));
    else await answer(api.PUT("/api/v2/company/emails/{id}", { params: { path: { id: email.id } }, body }));
    toast(`${given.name} was saved`);
    route(at("/admin/emails"));
  };
  return (
    <div class="email-editor">
      <div class="card">
        <Form form={form} action="Save the e-mail" onSubmit={save} isDisabled={!may("manager")}>
          <TextField
            form={form}
            name="name"
            label="Name"
            hint="Only your team sees it."
            maxLength={255}
            required
          />
          <TriggerFields form={form} />
          {chosenTrigger !== "broadcast" && <Checkbox form={form} name="enabled" label="On" />}
          {campaigns.length > 1 && (
            <CampaignBoxes
              campaigns={campaigns}
              chosen={allowed}
              hint="Tick none if promoters of all campaigns get it."
            />
          )}
          <Texts form={form} placeholders={known?.placeholders ?? []} />
          <OtherTexts translations={translations} trigger={chosenTrigger} />
        </Form>
        {email !== null && isInstead(email, triggers) && may("manager") && <BackToOriginal of={email} />}
      </div>
      <Preview
        main={{ subject: subject.value, content: content.value }}
        translations={translations.value}
        shownLanguage={shown}
        trigger_on={chosenTrigger}
        {...(firstCampaign !== undefined && { campaign_id: firstCampaign })}
      />
    </div>
  );
}

/** A built-in e-mail is the beginning of the text that takes its place. */
function valuesOf(email: Email | null, trigger: Trigger, triggers: TriggerInfo[]) {
  const original = triggers.find(({ trigger_on: name }) => name === trigger)?.original;
  return {
    name: email?.name ?? (original ? TRIGGERS[trigger].label : ""),
    subject: email?.subject ?? original?.subject ?? "",
    content: email?.content ?? original?.content ?? "",
    enabled: email?.trigger.enabled ?? true,
    ...triggerValues(email?.trigger.trigger_on ?? trigger, email?.trigger.settings ?? null),
  };
}

/** Subject and text. A placeholder goes where the cursor was last. */
function Texts({
  form,
  placeholders,
}: {
  form: Parameters<typeof TextField<"subject" | "content">>[0]["form"];
  placeholders: string[];
}) {
  const last = useRef<HTMLInputElement | HTMLTextAreaElement | null>(null);
  const element = useRef<HTMLDivElement>(null);
  const insert = (name: string) => {
    const field = last.current ?? element.current?.querySelector("textarea");
    if (field == null) return;
    const isSubject = field.name === "subject";
    const { selectionStart, selectionEnd, value } = field;
    field.setRangeText(`{{${name}}}`, selectionStart ?? value.length, selectionEnd ?? value.length, "end");
    form.values[isSubject ? "subject" : "content"].value = field.value;
    field.focus();
  };
  return (
    <div
      ref={element}
      class="stack"
      onFocusIn={({ target }) => {
        if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)
          last.current = target;
      }}
    >
      <TextField form={form} name="subject" label="Subject" maxLength={255} required />
      <TextArea
        form={form}
        name="content"
        label="Text"
        hint="An empty line begins a paragraph. HTML works too, without scripts."
        rows={14}
        required
      />
      <fieldset class="stack tight">
        <legend>Placeholders</legend>
        <span class="row tight">
          {placeholders.map((name) => (
            <button key={name} type="button" class="button little" onClick={() => insert(name)}>
              {name}
            </button>
          ))}
        </span>
      </fieldset>
    </div>
  );
}

/** Subject and text in further languages. They begin with the built-in e-mail of the language, if there is one. */
function OtherTexts({ translations, trigger }: { translations: Signal<Translation[]>; trigger: Trigger }) {
  const begin = async (language: Translation["language"]) => {
    const triggers = await loadTriggers(language);
    const { original } = triggers.find(({ trigger_on: name }) => name === trigger) ?? {};
    return { language, subject: original?.subject ?? null, content: original?.content ?? null };
  };
  return (
    <Translations
      translations={translations}
      hint="Promoters who read one of these get it instead. Leave a text empty to send yours."
      begin={begin}
      fields={({ language, subject, content }, change) => (
        <>
          <TranslatedText
            label={`Subject in ${LANGUAGES[language]}`}
            text={subject}
            onText={(text) => change({ subject: text })}
            rows={1}
          />
          <TranslatedText
            label={`Text in ${LANGUAGES[language]}`}
            text={content}
            onText={(text) => change({ content: text })}
            rows={8}
          />
        </>
      )}
    />
  );
}

function BackToOriginal({ of: { id, name } }: { of: Email }) {
  const { route } = useLocation();
  const reset = async () => {
    const title = "Go back to the original";
    const text = `${name} is deleted, and promoters get the built-in e-mail again.`;
    if (!(await ask({ title, text, action: title, isDanger: true }))) return;
    await tell(async () => {
      await answer(api.DELETE("/api/v2/company/emails/{id}", { params: { path: { id } } }));
      route(at("/admin/emails"));
      return "Promoters get the original again";
    });
  };
  return (
    <p class="row">
      <button class="button" onClick={() => void reset()}>
        Back to the original
      </button>
    </p>
  );
}

/** What can be done with a saved e-mail. */
function Actions({ of, shown }: { of: Email; shown: Signal<ShownLanguage> }) {
  const { id, name, trigger } = of;
  const params = { path: { id } };
  const test = () =>
    tell(async () => {
      // A language that is not saved yet has no text to send.
      const saved = of.translations.find(({ language }) => language === shown.value)?.language;
      const query = saved === undefined ? { is_main: true } : { language: saved };
      const { sent, error } = await answer(
        api.POST("/api/v2/company/emails/{id}/send_test", { params: { ...params, query } }),
      );
      const what = saved === undefined ? "the main text" : `the text in ${LANGUAGES[saved]}`;
      return sent
        ? `A test of ${what} was sent to ${session.value?.user.email}`
        : `The mail server said: ${error}`;
    });
  const send = async () => {
    const title = `Send ${name} now`;
    const text =
      "Each accepted promoter of its campaigns who wants news gets it once. Those who have got it before do not get it again.";
    if (!(await ask({ title, text, action: title }))) return;
    await tell(async () => {
      const batch = await made(api.POST("/api/v2/company/emails/{id}/send_now", { params }));
      return batch.total === 0
        ? "No promoter has been accepted yet, so no promoter gets it"
        : `It is being sent to ${batch.total} promoters`;
    });
  };
  return (
    <>
      <button class="button" onClick={() => void test()}>
        Send me a test
      </button>
      {trigger.trigger_on === "broadcast" && (
        <button class="button main" onClick={() => void send()}>
          Send now
        </button>
      )}
    </>
  );
}
