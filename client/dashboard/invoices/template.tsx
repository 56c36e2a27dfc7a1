import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { Await } from "../../ui/feedback/state.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { toast } from "../../ui/feedback/toast.tsx";
import { TextArea } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { may } from "../session/session.ts";
import { Paper } from "./paper.tsx";

/** The template of invoices, with a sample. */
export function TemplateEditor() {
  const template = useLoad((signal) => answer(api.GET("/api/v2/company/invoices/template", { signal })));
  return (
    <section class="card wide">
      <Await loaded={template}>{({ data }) => <Editor html={data.html} />}</Await>
    </section>
  );
}

function Editor({ html }: { html: string }) {
  const form = useForm({ html });
  const sample = useSignal<string | null>(null);
  const preview = () =>
    tell(async () => {
      const body = { html: form.values.html.value };
      sample.value = (
        await answer(api.POST("/api/v2/company/invoices/preview_template", { body }))
      ).data.html;
      return "This is a sample with your template.";
    });
  return (
    <Form
      form={form}
      action="Save the template"
      isDisabled={!may("owner")}
      others={
        <button type="button" class="button" onClick={() => void preview()}>
          Show a sample
        </button>
      }
      onSubmit={async (body) => {
        await answer(api.PUT("/api/v2/company/invoices/custom_template", { body }));
        toast("Later invoices use this template.");
      }}
    >
      <TextArea
        form={form}
        name="html"
        label="Template"
        rows={18}
        hint="Headings, paragraphs and tables with placeholders in double braces. Invoices that have a number stay as they were sent."
      />
      {sample.value !== null && <Paper html={sample.value} />}
    </Form>
  );
}
