import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { date } from "../../ui/format.ts";
import { t } from "../../languages/messages.ts";
import { Form, useForm } from "../../ui/form/form.tsx";

/** The agreement that the company writes the promoter's invoices. Nothing if it writes none. */
export function Agreement() {
  const loaded = useLoad((signal) => answer(api.GET("/api/v2/affiliate/invoice_agreement", { signal })));
  const form = useForm({});
  const found = loaded.data.value;
  if (!found?.is_on || found.agreement === null) return null;
  const { text, version, agreed_at: agreedAt } = found.agreement;
  return (
    <section class="card narrow stack" aria-label={t("agreement.title")}>
      <h2>{t("agreement.title")}</h2>
      <p style={{ "white-space": "pre-line" }}>{text}</p>
      {agreedAt === null ? (
        <Form
          form={form}
          action={t("agreement.agree")}
          onSubmit={async () => {
            const body = { version };
            loaded.data.value = await answer(api.POST("/api/v2/affiliate/invoice_agreement", { body }));
            toast(t("agreement.thanks"));
          }}
        >
          <p class="small soft">{t("agreement.version", { version: String(version) })}</p>
        </Form>
      ) : (
        <Badge tone="good">{t("agreement.since", { date: date(agreedAt), version: String(version) })}</Badge>
      )}
    </section>
  );
}
