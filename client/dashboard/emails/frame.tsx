import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { ask } from "../../ui/feedback/dialog.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { toast } from "../../ui/feedback/toast.tsx";
import { TextArea } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { Page } from "../../ui/shell/page.tsx";
import { may, session } from "../session/session.ts";
import { Preview } from "./preview.tsx";

type Frame = components["schemas"]["EmailTemplate"];

const SAMPLE = {
  subject: "A sample of e-mails from {{company_name}}",
  content: "Hello {{first_name}},\n\nthis is how e-mails to promoters look.\n\n{{company_name}}",
};

/** `/admin/emails/frame`: the HTML around the text of the company's own e-mails. */
export function EmailFrame() {
  const loaded = useLoad((signal) => answer(api.GET("/api/v2/company/emails/template", { signal })));
  return (
    <Page
      title="Frame of your e-mails"
      actions={
        may("manager") && (
          <button class="button" onClick={() => void sendTest()}>
            Send me a test
          </button>
        )
      }
    >
      <Await loaded={loaded}>
        {(frame) => <Editor key={frame.html} frame={frame} reload={loaded.reload} />}
      </Await>
    </Page>
  );
}

function Editor({ frame, reload }: { frame: Frame; reload: () => Promise<void> }) {
  const form = useForm({ html: frame.html });
  return (
    <div class="email-editor">
      <div class="card stack">
        <p class="soft">
          It goes around the text of each e-mail that you have written: your logo above it, your address below
          it. Built-in e-mails have none.
        </p>
        <Form
          form={form}
          action="Save the frame"
          isDisabled={!may("manager")}
          onSubmit={async ({ html }) => {
            await save(html);
            toast("The frame was saved");
            await reload();
          }}
        >
          <TextArea
            form={form}
            name="html"
            label="HTML"
            hint="The text of an e-mail goes where {{content}} is. {{unsubscribe_url}} is the link to unsubscribe; without it, one is added below. Scripts are removed."
            rows={18}
            required
          />
        </Form>
        {frame.is_custom && may("manager") && (
          <p class="row">
            <button class="button" onClick={() => void reset(reload)}>
              Back to the original
            </button>
          </p>
        )}
      </div>
      <Preview main={SAMPLE} trigger_on="broadcast" html={form.values.html.value} />
    </div>
  );
}

/** An empty text removes the company's own frame. */
function save(html: string): Promise<Frame> {
  return answer(api.PATCH("/api/v2/company/emails/custom_template", { body: { html } }));
}

async function reset(reload: () => Promise<void>): Promise<void> {
  const title = "Go back to the original";
  const text = "Your frame is deleted, and your e-mails have the usual one again.";
  if (!(await ask({ title, text, action: title, isDanger: true }))) return;
  await tell(async () => {
    await save("");
    await reload();
    return "Your e-mails have the original frame again";
  });
}

async function sendTest(): Promise<void> {
  await tell(async () => {
    const { sent, error } = await answer(api.POST("/api/v2/company/emails/test_custom_template"));
    return sent ? `A test was sent to ${session.value?.user.email}` : `The mail server said: ${error}`;
  });
}
