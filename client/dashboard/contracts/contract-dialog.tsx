import { useSignal } from "@preact/signals";
import { answer, api, made } from "../../ui/api/client.ts";
import { ContractText } from "../../ui/contract-text.tsx";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { Checkbox, Select, TextArea, TextField } from "../../ui/form/field.tsx";
import { Form, useForm, type FormState } from "../../ui/form/form.tsx";
import { CampaignBoxes } from "../campaigns/choices.tsx";
import type { Contract } from "./contracts.tsx";

interface ContractDialogProps {
  /** Null for a new one. */
  contract: Contract | null;
  campaigns: { id: number; name: string }[];
  reload: () => Promise<void>;
  onClose: () => void;
}

const PLACES = [
  ["here", "Typed in below"],
  ["elsewhere", "On another page"],
] as const;

/** Makes a contract, or changes one. */
export function ContractDialog({ contract, campaigns, reload, onClose }: ContractDialogProps) {
  const form = useForm(valuesOf(contract));
  const chosen = useSignal<ReadonlySet<number>>(new Set(contract?.campaign_ids));
  const save = async (given: Values) => {
    const isHosted = given.place === "here";
    const body = {
      name: given.name,
      checkbox_label: given.checkbox_label,
      content_hosted: isHosted,
      ...(isHosted ? { content: given.content } : { external_link: given.external_link }),
      campaign_ids: [...chosen.value],
      default: given.default,
    };
    if (contract === null) await made(api.POST("/api/v2/company/contracts", { body }));
    else {
      const params = { path: { id: contract.id } };
      const changed = { ...body, ask_again: given.ask_again };
      await answer(api.PUT("/api/v2/company/contracts/{id}", { params, body: changed }));
    }
    toast(`${given.name} was saved`);
    onClose();
    await reload();
  };
  return (
    <Dialog title={contract === null ? "Add a contract" : `Edit ${contract.name}`} onClose={onClose}>
      <Form form={form} action="Save the contract" onSubmit={save}>
        <TextField form={form} name="name" label="Name" maxLength={255} required />
        <TextField
          form={form}
          name="checkbox_label"
          label="Beside the box to tick"
          maxLength={1000}
          required
        />
        <Select form={form} name="place" label="The text" options={PLACES} />
        <TextOf form={form} />
        {contract !== null && contract.signed_count > 0 && (
          <Checkbox
            form={form}
            name="ask_again"
            label="Ask those who have signed to sign the changed text"
            hint="In their portal. Until then, and without it, the text that they signed is kept."
          />
        )}
        <CampaignBoxes
          campaigns={campaigns}
          chosen={chosen}
          hint="Their promoters sign it when they join, or in their portal."
        />
        <Checkbox
          form={form}
          name="default"
          label="Also for all campaigns that have no contract of their own"
        />
      </Form>
    </Dialog>
  );
}

type Values = ReturnType<typeof valuesOf>;

function valuesOf(contract: Contract | null) {
  return {
    name: contract?.name ?? "",
    checkbox_label: contract?.checkbox_label ?? "I have read the agreement and accept it",
    place: contract?.content_hosted === false ? "elsewhere" : ("here" as string),
    content: contract?.content ?? "",
    external_link: contract?.external_link ?? "",
    default: contract?.default ?? false,
    ask_again: false,
  };
}

/** The text with its preview, or the page that it is on. */
function TextOf({ form }: { form: FormState<Values> }) {
  const isPreview = useSignal(false);
  const texts = form as unknown as FormState<Record<"content" | "external_link", string>>;
  if (form.values.place.value === "elsewhere")
    return <TextField form={texts} name="external_link" type="url" label="Address of the page" required />;
  const content = form.values.content.value;
  return (
    <>
      <TextArea
        form={texts}
        name="content"
        label="Text"
        hint="Plain text, or HTML with headings, lists, tables and links. {{promoter_name}}, {{promoter_email}} and {{company_name}} are filled in."
        rows={10}
        maxLength={100_000}
        required
      />
      <div>
        <button
          type="button"
          class="button little"
          aria-expanded={isPreview.value}
          onClick={() => (isPreview.value = !isPreview.value)}
        >
          {isPreview.value ? "Hide the preview" : "Preview"}
        </button>
      </div>
      {isPreview.value && <ContractText content={content} label="Preview" />}
    </>
  );
}
