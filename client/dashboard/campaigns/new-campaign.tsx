import { useLocation } from "preact-iso/router";
import { api, made } from "../../ui/api/client.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { at } from "../../ui/base.ts";

/** Makes a campaign with default settings, and opens its page. */
export function NewCampaign({ onClose }: { onClose: () => void }) {
  const { route } = useLocation();
  const form = useForm({ name: "", landing_url: "" });
  return (
    <Dialog title="Add a campaign" onClose={onClose}>
      <Form
        form={form}
        action="Add the campaign"
        onSubmit={async (body) => {
          const { id, name } = await made(api.POST("/api/v2/company/campaigns", { body }));
          toast(`${name} was added. Choose what promoters get.`);
          onClose();
          route(at(`/admin/campaigns/${id}#tab=rewards`));
        }}
      >
        <TextField form={form} name="name" label="Name" hint="Promoters see it." required />
        <TextField
          form={form}
          name="landing_url"
          label="Landing page"
          type="url"
          placeholder="https://www.example.com/"
          hint="Where the links of promoters lead."
          required
        />
      </Form>
    </Dialog>
  );
}
