import { useSignal } from "@preact/signals";
import { Dialog } from "../ui/feedback/dialog.tsx";
import { toast } from "../ui/feedback/toast.tsx";
import { TextField } from "../ui/form/field.tsx";
import { Form, useForm } from "../ui/form/form.tsx";

interface EraseProps {
  /** `promoter` or `lead`. */
  kind: string;
  /** What must be typed: the person's name or address. */
  name: string;
  /** What is kept. */
  stays: string;
  erase: () => Promise<unknown>;
  reload: () => Promise<void>;
}

/** Erases a person after their name was typed as confirmation. */
export function EraseButton({ kind, name, stays, erase, reload }: EraseProps) {
  const isOpen = useSignal(false);
  const form = useForm({ typed: "" });
  const close = () => {
    isOpen.value = false;
    form.values.typed.value = "";
  };
  const isTyped = form.values.typed.value.trim() === name.trim();
  return (
    <>
      <button class="button danger" onClick={() => (isOpen.value = true)}>
        Erase personal data…
      </button>
      {isOpen.value && (
        <Dialog title={`Erase ${name}?`} onClose={close}>
          <Form
            form={form}
            action={`Erase this ${kind} forever`}
            isDanger
            isDisabled={!isTyped}
            onSubmit={async () => {
              await erase();
              toast(`The ${kind}'s personal data was erased`);
              close();
              await reload();
            }}
          >
            <p>
              Name, addresses and everything else that is personal is erased, here and in e-mails and events
              that wait. {stays} This can't be undone.
            </p>
            <TextField
              form={form}
              name="typed"
              label={`Type “${name}” to continue`}
              autocomplete="off"
              required
            />
          </Form>
        </Dialog>
      )}
    </>
  );
}
