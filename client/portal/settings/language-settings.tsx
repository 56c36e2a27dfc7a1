import { LANGUAGES, speak } from "../../languages/languages.ts";
import { language, t } from "../../languages/messages.ts";
import { answer, api } from "../../ui/api/client.ts";
import type { components } from "../../ui/api/types.ts";
import { toast } from "../../ui/feedback/toast.tsx";
import { Select } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";

/** The language of the portal and of the e-mails. */
export function LanguageSettings() {
  const form = useForm({ language: language() });
  return (
    <section class="card narrow" aria-label={t("settings.language")}>
      <Form
        form={form}
        action={t("language.save")}
        onSubmit={async (given) => {
          // The options are the server's languages.
          const body = given as components["schemas"]["PortalLanguage"];
          await answer(api.PUT("/api/v2/affiliate/language", { body }));
          await speak(body.language);
          toast(t("language.saved"));
        }}
      >
        <Select
          form={form}
          name="language"
          label={t("settings.language")}
          hint={t("language.text")}
          options={Object.entries(LANGUAGES).map(([code, { name }]) => [code, name] as const)}
        />
      </Form>
    </section>
  );
}
