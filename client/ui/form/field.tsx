import type { Signal } from "@preact/signals";
import type { ComponentChildren, InputHTMLAttributes } from "preact";
import { useId } from "preact/hooks";
import { fieldOf, type FormState } from "./form.tsx";

interface FieldProps<N extends string> {
  // A form may have other types of fields, too.
  form: FormState<Record<N, string>>;
  name: N;
  label: ComponentChildren;
  hint?: ComponentChildren;
}

/** The attributes that fields pass to their controls. */
interface ControlProps {
  required?: boolean | undefined;
  disabled?: boolean | undefined;
  readOnly?: boolean | undefined;
  autoFocus?: boolean | undefined;
  autocomplete?: string | undefined;
  placeholder?: string | undefined;
  maxLength?: number | undefined;
}

interface InputProps extends ControlProps {
  type?: "text" | "email" | "password" | "number" | "url" | "date" | "tel" | "color" | undefined;
  inputMode?: "text" | "numeric" | "decimal" | "email" | "url" | undefined;
  min?: string | number | undefined;
  max?: string | number | undefined;
  step?: string | number | undefined;
  minLength?: number | undefined;
  pattern?: string | undefined;
}

/** One line of text. */
export function TextField<N extends string>({
  form,
  name,
  label,
  hint,
  ...input
}: FieldProps<N> & InputProps) {
  const { frame, control } = useField({ form, name, label, hint });
  // The types distinguish the kinds of inputs, and this can be any of them.
  const attributes = { type: "text", ...input, ...control } as InputHTMLAttributes<HTMLInputElement>;
  return frame(<input class="input" {...attributes} />);
}

/** Several lines of text. */
export function TextArea<N extends string>({
  form,
  name,
  label,
  hint,
  ...input
}: FieldProps<N> & ControlProps & { rows?: number }) {
  const { frame, control } = useField({ form, name, label, hint });
  return frame(<textarea class="input" {...input} {...control} />);
}

/** A choice of `[value, words]`. */
export function Select<N extends string>({
  form,
  name,
  label,
  hint,
  options,
  ...input
}: FieldProps<N> & { options: readonly (readonly [value: string, words: string])[] } & Pick<
    ControlProps,
    "required" | "disabled" | "autocomplete"
  >) {
  const { frame, control } = useField({ form, name, label, hint });
  return frame(
    <select class="input" {...input} {...control}>
      {options.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>,
  );
}

/** A box to tick. */
export function Checkbox<N extends string>({
  form,
  name,
  label,
  hint,
}: Omit<FieldProps<N>, "form"> & { form: FormState<Record<N, boolean>> }) {
  const { control, below, set } = useControl(form, name, hint);
  return (
    <div class="field">
      <div class="check">
        <input
          {...control}
          type="checkbox"
          checked={form.values[name].value}
          onInput={(event) => set(event.currentTarget.checked)}
        />
        <label htmlFor={control.id}>{label}</label>
      </div>
      {below}
    </div>
  );
}

function useField<N extends string>({ form, name, label, hint }: FieldProps<N>) {
  const { control, below, set } = useControl(form, name, hint);
  const frame = (input: ComponentChildren) => (
    <div class="field">
      <label htmlFor={control.id}>{label}</label>
      {input}
      {below}
    </div>
  );
  const onInput = (event: { currentTarget: { value: string } }) => set(event.currentTarget.value);
  return { frame, control: { ...control, value: form.values[name].value, onInput } };
}

/** The attributes of a control, the text below it, and the function that sets its value. */
export function useControl<N extends string, T>(
  form: { values: Record<N, Signal<T>>; faults: Faults },
  name: N,
  hint?: ComponentChildren,
) {
  const id = useId();
  const faults = faultsOf(form.faults, name);
  const describedBy = [hint && `${id}-hint`, faults.length > 0 && `${id}-fault`].filter(Boolean).join(" ");
  const control = {
    id,
    name,
    "aria-invalid": faults.length > 0,
    "aria-describedby": describedBy === "" ? undefined : describedBy,
  };
  const set = (value: T) => {
    form.values[name].value = value;
    if (faults.length > 0) form.faults.value = {};
  };
  return { control, below: <Below id={id} hint={hint} faults={faults} />, set };
}

function Below({ id, hint, faults }: { id: string; hint: ComponentChildren; faults: string[] }) {
  return (
    <>
      {hint && (
        <span id={`${id}-hint`} class="hint">
          {hint}
        </span>
      )}
      {faults.length > 0 && (
        <span id={`${id}-fault`} class="fault">
          {sentenceOf(faults)}
        </span>
      )}
    </>
  );
}

type Faults = FormState<Record<string, string>>["faults"];

function faultsOf(faults: Faults, name: string): string[] {
  const named = Object.entries(faults.value).filter(([field]) => fieldOf(field) === name);
  return named.flatMap(([, messages]) => messages);
}

/** Makes a sentence of the API's errors, such as "has already been taken". */
function sentenceOf(faults: string[]): string {
  const text = faults.join(", ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
