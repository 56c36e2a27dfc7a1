import { useSignal, type Signal } from "@preact/signals";
import { useId } from "preact/hooks";
import { answer, api, made } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { bytesOf } from "../../ui/form/file-bytes.ts";
import { Select, TextArea, TextField } from "../../ui/form/field.tsx";
import { Form, useForm, type FormState } from "../../ui/form/form.tsx";
import { CampaignBoxes } from "../campaigns/choices.tsx";
import { addCategory, loadCategories, TYPES, type Asset, type AssetType, type Category } from "./query.ts";

/** The option for making a new category. */
const NEW = "new";

interface AssetDialogProps {
  /** Null for a new one. */
  asset: Asset | null;
  reload: () => Promise<void>;
  onClose: () => void;
}

/** Makes an asset, or changes one. */
export function AssetDialog(props: AssetDialogProps) {
  const loaded = useLoad(loadParts);
  return (
    <Dialog
      title={props.asset === null ? "Add an asset" : `Edit ${props.asset.name}`}
      onClose={props.onClose}
    >
      <Await loaded={loaded}>{(parts) => <Fields {...props} {...parts} />}</Await>
    </Dialog>
  );
}

interface Parts {
  categories: Category[];
  campaigns: { id: number; name: string }[];
}

async function loadParts(): Promise<Parts> {
  const [categories, campaigns] = await Promise.all([
    loadCategories(),
    answer(api.GET("/api/v2/company/campaigns", { params: { query: { per_page: 100 } } })),
  ]);
  return { categories, campaigns };
}

function Fields({ asset, reload, onClose, categories, campaigns }: AssetDialogProps & Parts) {
  const file = useSignal<File | null>(null);
  const allowed = useSignal<ReadonlySet<number>>(new Set(asset?.allowed_campaign_ids));
  const form = useForm(valuesOf(asset));
  const save = async (given: Values) => {
    const isNewCategory = given.category_id === NEW;
    const category = isNewCategory ? await addCategory(given.new_category, categories) : given.category_id;
    const body = {
      ...(await contentOf(given, file.value)),
      category_id: category === "" ? null : Number(category),
      allowed_campaign_ids: [...allowed.value],
    };
    if (asset === null) await made(api.POST("/api/v2/company/assets", { body: withoutNulls(body) }));
    else await answer(api.PUT("/api/v2/company/assets/{id}", { params: { path: { id: asset.id } }, body }));
    toast(`${given.name} was saved`);
    onClose();
    await reload();
  };
  return (
    <Form form={form} action="Save the asset" onSubmit={save}>
      <Select form={form} name="asset_type" label="Type" options={TYPES} />
      <TextField form={form} name="name" label="Name" maxLength={255} required />
      <Content form={form} file={file} isNew={asset === null} />
      <Select
        form={form}
        name="category_id"
        label="Category"
        options={[
          ["", "None"],
          ...categories.map(({ id, name }): [string, string] => [String(id), name]),
          [NEW, "A new one…"],
        ]}
      />
      {form.values.category_id.value === NEW && (
        <TextField
          form={form}
          name="new_category"
          label="Name of the new category"
          maxLength={255}
          required
        />
      )}
      {campaigns.length > 1 && (
        <CampaignBoxes campaigns={campaigns} chosen={allowed} hint="Tick none if all promoters may use it." />
      )}
    </Form>
  );
}

type Values = ReturnType<typeof valuesOf>;

function valuesOf(asset: Asset | null) {
  return {
    asset_type: asset?.asset_type ?? ("image" as string),
    name: asset?.name ?? "",
    content: asset?.content ?? "",
    url: asset !== null && asset.details.file_format === null ? (asset.url ?? "") : "",
    landing_page_url: asset?.landing_page_url ?? "",
    category_id: String(asset?.category?.id ?? ""),
    new_category: "",
  };
}

/** The API's fields for the type. */
async function contentOf(given: Values, file: File | null) {
  const type = given.asset_type as AssetType;
  return {
    name: given.name,
    asset_type: type,
    ...(hasFile(type) && file !== null && { file: await bytesOf(file) }),
    ...(type === "link" && { url: given.url }),
    ...(type === "text" && { content: given.content }),
    ...(type !== "link" && { landing_page_url: given.landing_page_url || null }),
  };
}

function hasFile(type: AssetType): boolean {
  return type === "image" || type === "document";
}

/** The fields that the type needs. */
function Content({
  form,
  file,
  isNew,
}: {
  form: FormState<Values>;
  file: Signal<File | null>;
  isNew: boolean;
}) {
  const type = form.values.asset_type.value as AssetType;
  return (
    <>
      {hasFile(type) && (
        <FileField type={type} file={file} isRequired={isNew} faults={form.faults.value["file"]} />
      )}
      {type === "text" && (
        <TextArea
          form={form}
          name="content"
          label="Text"
          hint="{{ref_link}} is replaced by the promoter's link."
          rows={6}
          required
        />
      )}
      {type === "link" ? (
        <TextField form={form} name="url" type="url" label="Page" hint="A page with the script." required />
      ) : (
        <TextField
          form={form}
          name="landing_page_url"
          type="url"
          label="Page that it leads to (optional)"
          hint="Leave it empty for the promoter's usual page."
        />
      )}
    </>
  );
}

function FileField({
  type,
  file,
  isRequired,
  faults = [],
}: {
  type: AssetType;
  file: Signal<File | null>;
  isRequired: boolean;
  faults?: string[] | undefined;
}) {
  const id = useId();
  const accept =
    type === "image" ? "image/png,image/jpeg,image/gif,image/webp" : ".pdf,.zip,.docx,.pptx,.xlsx";
  return (
    <div class="field">
      <label htmlFor={id}>File</label>
      <input
        id={id}
        name="file"
        type="file"
        class="input"
        accept={accept}
        required={isRequired}
        aria-invalid={faults.length > 0}
        aria-describedby={`${id}-hint`}
        onInput={(event) => (file.value = event.currentTarget.files?.[0] ?? null)}
      />
      <span id={`${id}-hint`} class="hint">
        {type === "image"
          ? "PNG, JPEG, GIF or WebP, at most 20 MiB."
          : "A PDF, an Office file or a ZIP file, at most 20 MiB."}
        {!isRequired && " Leave it empty to keep the file."}
      </span>
      {faults.length > 0 && <span class="fault">The file {faults.join(", ")}.</span>}
    </div>
  );
}

/** Removes nulls, which a new asset must leave out. */
function withoutNulls<T extends { landing_page_url?: string | null; category_id: number | null }>(body: T) {
  const { landing_page_url: page, category_id: category, ...others } = body;
  return {
    ...others,
    ...(page != null && { landing_page_url: page }),
    ...(category !== null && { category_id: category }),
  };
}
