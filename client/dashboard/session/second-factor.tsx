import type { Signal } from "@preact/signals";
import { asRefusal } from "../../ui/api/refusal.ts";
import { TextField } from "../../ui/form/field.tsx";
import type { FormState } from "../../ui/form/form.tsx";

/** The field for the code of a second factor. */
export function CodeField({ form }: { form: FormState<Record<"code", string>> }) {
  return (
    <TextField
      form={form}
      name="code"
      label="Code from your authenticator app"
      hint="Without the app: one of your recovery codes."
      inputMode="numeric"
      autocomplete="one-time-code"
      autoFocus
      required
    />
  );
}

/** Sends a form. Returns null if the server also needs a code, so that the form can ask for it. @throws Refusal */
export async function unlessCodeIsWanted<T>(
  wantsCode: Signal<boolean>,
  send: () => Promise<T>,
): Promise<T | null> {
  try {
    return await send();
  } catch (error) {
    // The second time, it means that the code was wrong.
    if (asRefusal(error).code !== "second_factor_required" || wantsCode.value) throw error;
    wantsCode.value = true;
    return null;
  }
}
