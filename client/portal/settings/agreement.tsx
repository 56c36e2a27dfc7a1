import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { date } from "../../ui/format.ts";
import { Form, useForm } from "../../ui/form/form.tsx";

/** The agreement that the company writes the promoter's invoices. Nothing if it writes none. */
export function Agreement() {
  const loaded = useLoad((signal) => answer(api.GET("/api/v2/affiliate/invoice_agreement", { signal })));
  const form = useForm({});
  const found = loaded.data.value;
  if (!found?.is_on || found.agreement === null) return null;
  const { text, version, agreed_at: agreedAt } = found.agreement;
  return (
    <section class="card narrow stack" aria-label="Agreement">
      <h2>Who writes your invoices</h2>
      <p style={{ "white-space": "pre-line" }}>{text}</p>
      {agreedAt === null ? (
        <Form
          form={form}
          action="I agree"
          onSubmit={async () => {
            const body = { version };
            loaded.data.value = await answer(api.POST("/api/v2/affiliate/invoice_agreement", { body }));
            toast("Thank you. The company can write your invoices now.");
          }}
        >
          <p class="small soft">Version {version}</p>
        </Form>
      ) : (
        <p class="row">
          <Badge tone="good">Agreed</Badge>{" "}
          <span class="soft">
            on {date(agreedAt)}, version {version}
          </span>
        </p>
      )}
    </section>
  );
}
