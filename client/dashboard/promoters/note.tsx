import { answer, api } from "../../ui/api/client.ts";
import { toast } from "../../ui/feedback/toast.tsx";
import { TextArea } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { may } from "../session/session.ts";
import type { Promoter } from "./query.ts";

/** The team's note about a promoter. */
export function NoteForm({ promoter, reload }: { promoter: Promoter; reload: () => Promise<void> }) {
  const { id, note } = promoter;
  const form = useForm({ note: note ?? "" });
  return (
    <section class="card">
      <h2>Note</h2>
      {may("manager") ? (
        <Form
          form={form}
          action="Save the note"
          onSubmit={async (body) => {
            await answer(
              api.PUT("/api/v2/company/promoters/{id}", { params: { path: { id: String(id) } }, body }),
            );
            toast("The note was saved");
            await reload();
          }}
        >
          <TextArea form={form} name="note" label="For your team" hint="Promoters never see it." rows={3} />
        </Form>
      ) : (
        <p class="soft">{note ?? "None"}</p>
      )}
    </section>
  );
}
