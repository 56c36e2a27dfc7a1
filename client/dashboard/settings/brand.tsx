import { useSignal } from "@preact/signals";
import { useEffect, useId } from "preact/hooks";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { asRefusal } from "../../ui/api/refusal.ts";
import type { components } from "../../ui/api/types.ts";
import { USUAL, type ShownBrand } from "../../ui/brand.ts";
import { Await } from "../../ui/feedback/state.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { bytesOf } from "../../ui/form/file-bytes.ts";
import { fillForm, Form, useForm, type FormState } from "../../ui/form/form.tsx";
import { Page } from "../../ui/shell/page.tsx";
import { findSession, session } from "../session/session.ts";
import { BrandPreview, type Colors } from "./brand-preview.tsx";

type Brand = components["schemas"]["Brand"];

/** `/admin/settings/brand`: how promoters see the company. */
export function BrandSettings() {
  const brand = useLoad((signal) => answer(api.GET("/api/v2/company/brand", { signal })));
  return (
    <Page title="Brand">
      <Await loaded={brand}>{(found) => <BrandForm loaded={found} />}</Await>
    </Page>
  );
}

function BrandForm({ loaded }: { loaded: Brand }) {
  const brand = useSignal(loaded);
  const form = useForm(typed(loaded));
  const { name, color, sender_name: senderName, reply_to: replyTo } = form.values;
  const colors = useColors(color.value, loaded.shown.colors);
  const shownName = name.value.trim() || (session.value?.account.name ?? "");
  return (
    <div class="stack wide">
      <Form
        form={form}
        action="Save the brand"
        onSubmit={async (values) => {
          brand.value = await answer(api.PUT("/api/v2/company/brand", { body: values }));
          fillForm(form, typed(brand.value));
          // The menu shows the name.
          await findSession();
          toast("The brand was saved");
        }}
      >
        <NameAndColor form={form} />
        <Sender form={form} sender={brand.value.sender} />
      </Form>
      <Images shown={brand.value.shown} onChange={(changed) => (brand.value = changed)} />
      <BrandPreview
        name={shownName}
        logo={brand.value.shown.logo_url}
        colors={colors}
        sender={senderName.value.trim() || shownName}
        replyTo={replyTo.value.trim()}
      />
    </div>
  );
}

type Fields = FormState<ReturnType<typeof typed>>;

function NameAndColor({ form }: { form: Fields }) {
  const { color } = form.values;
  return (
    <section class="card stack">
      <h2>Name and colour</h2>
      <p class="hint">Promoters see them on the portal, on sign-up pages and in e-mails.</p>
      <TextField
        form={form}
        name="name"
        label="Name for promoters"
        hint={`Leave it empty for the name of the account, ${session.value?.account.name}.`}
        maxLength={100}
      />
      <div class="row color-field">
        <TextField
          form={form}
          name="color"
          label="Colour"
          hint="Such as #ff6600. Leave it empty for the usual one. Links get a near colour that can be read."
          maxLength={7}
        />
        <input
          type="color"
          class="color-picker"
          aria-label="Pick a colour"
          value={HEX.test(color.value.trim()) ? color.value.trim() : USUAL.button}
          onInput={(event) => (color.value = event.currentTarget.value)}
        />
      </div>
    </section>
  );
}

/** `sender` is what the server makes of the saved fields. */
function Sender({ form, sender }: { form: Fields; sender: Brand["sender"] }) {
  return (
    <section class="card stack">
      <h2>Sender of e-mails</h2>
      <div class="grid">
        <TextField
          form={form}
          name="sender_name"
          label="Sender's name"
          hint="Leave it empty for the name for promoters."
          maxLength={100}
        />
        <TextField
          form={form}
          name="reply_to"
          type="email"
          label="Address for replies"
          hint="Leave it empty for the sender's."
        />
      </div>
      {sender === null ? (
        <p class="hint">
          The server sends no e-mails yet. <a href="/admin/settings/mail">What to set</a>
        </p>
      ) : (
        <p class="hint">
          E-mails to promoters come from {sender.from}
          {sender.reply_to !== null && `, and replies go to ${sender.reply_to}`}. The operator of the server
          sets the address.
        </p>
      )}
    </section>
  );
}

function Images({ shown, onChange }: { shown: ShownBrand; onChange: (brand: Brand) => void }) {
  return (
    <section class="card stack">
      <h2>Images</h2>
      <div class="grid">
        <ImageField
          image="logo"
          label="Logo"
          hint="PNG, JPEG, GIF or WebP, at most 1 MiB. It is shown 32 pixels high instead of the name."
          accept="image/png,image/jpeg,image/gif,image/webp"
          address={shown.logo_url}
          onChange={onChange}
        />
        <ImageField
          image="favicon"
          label="Icon in the browser's tab"
          hint="PNG or ICO, at most 1 MiB."
          accept="image/png,.ico"
          address={shown.favicon_url}
          onChange={onChange}
        />
      </div>
    </section>
  );
}

const HEX = /^#[\da-f]{6}$/i;

/** The colours that follow from a typed one. They stay the same while it is incomplete. Null: the usual ones. */
function useColors(typedColor: string, initial: Colors | null): Colors | null {
  const colors = useSignal(initial);
  const color = typedColor.trim();
  useEffect(() => {
    if (color === "") colors.value = null;
    if (!HEX.test(color)) return;
    const leaving = new AbortController();
    const params = { query: { color } };
    answer(api.GET("/api/v2/company/brand/colors", { params, signal: leaving.signal })).then(
      (found) => (colors.value = found),
      // The form says what is wrong when it is saved.
      () => undefined,
    );
    return () => leaving.abort();
  }, [color]);
  return colors.value;
}

interface ImageFieldProps {
  image: "logo" | "favicon";
  label: string;
  hint: string;
  accept: string;
  /** Where the present one is, or null. */
  address: string | null;
  onChange: (brand: Brand) => void;
}

/** An image, which is saved when it is chosen. */
function ImageField({ image, label, hint, accept, address, onChange }: ImageFieldProps) {
  const id = useId();
  const fault = useSignal<string | null>(null);
  const change = async (work: () => Promise<Brand>, done: string) => {
    fault.value = null;
    try {
      onChange(await work());
      toast(done);
    } catch (error) {
      const { fields, message } = asRefusal(error);
      fault.value = fields["file"] === undefined ? message : `The file ${fields["file"].join(", ")}.`;
    }
  };
  const words = image === "logo" ? "logo" : "icon";
  const path = `/api/v2/company/brand/${image}` as const;
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      {address !== null && <img class="brand-image" src={address} alt={`The present ${words}`} />}
      <input
        id={id}
        type="file"
        class="input"
        accept={accept}
        aria-invalid={fault.value !== null}
        aria-describedby={fault.value === null ? `${id}-hint` : `${id}-hint ${id}-fault`}
        onInput={async ({ currentTarget: input }) => {
          const [file] = input.files ?? [];
          if (file === undefined) return;
          await change(
            async () => answer(api.PUT(path, { body: { file: await bytesOf(file) } })),
            `The ${words} was saved`,
          );
          input.value = "";
        }}
      />
      <span id={`${id}-hint`} class="hint">
        {hint}
      </span>
      {fault.value !== null && (
        <span id={`${id}-fault`} class="fault" role="alert">
          {fault.value}
        </span>
      )}
      {address !== null && (
        <div>
          <button
            type="button"
            class="button plain little"
            onClick={() => change(() => answer(api.DELETE(path)), `The ${words} was deleted`)}
          >
            Delete the {words}
          </button>
        </div>
      )}
    </div>
  );
}

/** The form shows what is not set as blank. */
function typed({ name, color, sender_name, reply_to }: Brand) {
  return {
    name: name ?? "",
    color: color ?? "",
    sender_name: sender_name ?? "",
    reply_to: reply_to ?? "",
  };
}
