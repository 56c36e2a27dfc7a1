import { useSignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { at } from "../../ui/base.ts";
import { LANGUAGES } from "../languages.tsx";
import type { Translation, Trigger } from "./query.ts";

/** Long enough for a word to be typed. */
const PAUSE_MS = 400;

/** The server has sanitised the HTML. If it ever missed something, this would still run nothing and load only the logo. */
const POLICY = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src ${location.origin}${at("/uploads/")}">`;

/** The pages let text become markup only by a policy. This one is for the frame below, in which nothing runs. */
const policy = (globalThis as { trustedTypes?: Policies }).trustedTypes?.createPolicy("email-preview", {
  createHTML: withPolicy,
});

interface Policies {
  createPolicy(
    name: string,
    rules: { createHTML: (html: string) => string },
  ): {
    createHTML(html: string): unknown;
  };
}

/** The e-mail as the frame's document. Browsers without such policies accept the text itself. */
function documentOf(html: string): string {
  return (policy?.createHTML(html) ?? withPolicy(html)) as string;
}

function withPolicy(html: string): string {
  return html.replace("<head>", `$&${POLICY}`);
}

/** The frame inherits the policy of the page, which ignores `style` in markup, but not what a script sets. */
function setStyles({ currentTarget }: { currentTarget: HTMLIFrameElement }): void {
  const styled = currentTarget.contentDocument?.querySelectorAll<HTMLElement>("[style]") ?? [];
  for (const element of styled) element.style.cssText = element.getAttribute("style") ?? "";
}

interface Draft {
  subject: string;
  content: string;
  trigger_on: Trigger;
  campaign_id?: number;
  language?: Translation["language"];
  /** A frame to try. Absent: the one that is saved. */
  html?: string;
}

/** The language of the preview, or "" for the main text. */
export type ShownLanguage = Translation["language"] | "";

interface Props extends Pick<Draft, "trigger_on" | "campaign_id" | "html"> {
  main: Pick<Draft, "subject" | "content">;
  translations?: Translation[];
  /** Absent: only the main text is shown. */
  shownLanguage?: Signal<ShownLanguage>;
}

/** An e-mail as promoters get it, with sample data, while it is written. */
export function Preview({ main, translations = [], shownLanguage, ...about }: Props) {
  const own = useSignal<ShownLanguage>("");
  const chosen = shownLanguage ?? own;
  const translation = translations.find(({ language }) => language === chosen.value);
  const draft: Draft = {
    ...about,
    subject: translation?.subject ?? main.subject,
    content: translation?.content ?? main.content,
    ...(translation && { language: translation.language }),
  };
  const shown = useSignal(draft);
  const typed = JSON.stringify(draft);
  useEffect(() => {
    const timer = setTimeout(() => (shown.value = JSON.parse(typed) as Draft), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const { subject, content } = shown.value;
  const isEmpty = [subject, content, shown.value.html ?? content].some((text) => text.trim() === "");
  const loaded = useLoad(
    (signal) =>
      isEmpty
        ? Promise.resolve(null)
        : answer(api.POST("/api/v2/company/emails/preview", { body: shown.value, signal })),
    [shown.value],
  );
  const refusal = loaded.refusal.value;
  const email = loaded.data.value;
  return (
    <section class="card stack" aria-label="Preview">
      <h2>Preview</h2>
      {translations.length > 0 && (
        <ChooseLanguage chosen={chosen} shown={translation?.language ?? ""} translations={translations} />
      )}
      {refusal !== null && (
        <p class="fault">{Object.values(refusal.fields).flat().join(", ") || refusal.message}</p>
      )}
      {email === null ? (
        <p class="soft">{isEmpty ? "There is nothing to show yet." : "It is shown when it can be sent."}</p>
      ) : (
        <>
          <strong dir="auto">{email.subject}</strong>
          <iframe
            class="email-preview"
            title={`Preview of ${email.subject}`}
            // Without `allow-scripts` nothing runs in it. Of the same origin, so that its styles can be set.
            sandbox="allow-same-origin"
            srcdoc={documentOf(email.html)}
            onLoad={setStyles}
          />
        </>
      )}
      <p class="small soft">Jane Doe is an example. Pictures of other servers are not loaded here.</p>
    </section>
  );
}

function ChooseLanguage({
  chosen,
  shown,
  translations,
}: {
  chosen: Signal<ShownLanguage>;
  shown: ShownLanguage;
  translations: Translation[];
}) {
  return (
    <select
      class="input"
      aria-label="Language of the preview"
      value={shown}
      onChange={({ currentTarget }) => (chosen.value = currentTarget.value as ShownLanguage)}
    >
      <option value="">Main text</option>
      {translations.map(({ language }) => (
        <option key={language} value={language}>
          {LANGUAGES[language]}
        </option>
      ))}
    </select>
  );
}
