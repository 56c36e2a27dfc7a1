import { signal, useSignal, type Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { asRefusal, type Refusal } from "../api/refusal.ts";
import { Notice } from "../feedback/notice.tsx";

/** The values of a form by the API's field names: text, or whether a box is ticked. */
type Values = Record<string, string | boolean>;

/** A form's state. It outlives errors and ended sessions, so that no input is lost. */
export interface FormState<V extends Values> {
  values: { [N in keyof V]: Signal<V[N]> };
  /** Errors by the API's field names. */
  faults: Signal<Record<string, string[]>>;
  isBusy: Signal<boolean>;
  /** Why the last attempt failed as a whole. */
  refusal: Signal<Refusal | null>;
}

/** A form that begins with `initial` values. */
export function useForm<V extends Values>(initial: V): FormState<V> {
  const values = useMemo(
    () => Object.fromEntries(Object.entries(initial).map(([name, value]) => [name, signal(value)])),
    [],
  ) as FormState<V>["values"];
  return {
    values,
    faults: useSignal({}),
    isBusy: useSignal(false),
    refusal: useSignal<Refusal | null>(null),
  };
}

/** The current values of a form. */
export function valuesOf<V extends Values>(form: FormState<V>): V {
  return Object.fromEntries(Object.entries(form.values).map(([name, value]) => [name, value.peek()])) as V;
}

/** Sets the values, for example to those that the server has saved. */
export function fillForm<V extends Values>(form: FormState<V>, values: V): void {
  for (const name in values) form.values[name].value = values[name];
}

interface FormProps<V extends Values> {
  form: FormState<V>;
  /** Sends the values. A thrown refusal is shown at its fields or above the form. */
  onSubmit: (values: V) => Promise<void>;
  /** The text of the button. */
  action: string;
  /** Beside the button. */
  others?: ComponentChildren;
  isDanger?: boolean;
  /** Whether the button is disabled. */
  isDisabled?: boolean;
  children: ComponentChildren;
}

/** A form with fields and a button. */
export function Form<V extends Values>({
  form,
  onSubmit,
  action,
  others,
  isDanger,
  isDisabled,
  children,
}: FormProps<V>) {
  const element = useRef<HTMLFormElement>(null);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (form.isBusy.peek()) return;
    form.isBusy.value = true;
    form.faults.value = {};
    form.refusal.value = null;
    try {
      await onSubmit(valuesOf(form));
    } catch (error) {
      const refusal = asRefusal(error);
      form.faults.value = refusal.fields;
      const names = Object.keys(refusal.fields);
      const isAtFields = names.length > 0 && names.every((name) => isShown(element.current, name));
      form.refusal.value = isAtFields ? null : refusal;
      // after the errors are rendered
      queueMicrotask(() => showFault(element.current));
    }
    form.isBusy.value = false;
  };
  return (
    <form ref={element} class="stack" onSubmit={submit}>
      {form.refusal.value && <Notice refusal={form.refusal.value} />}
      {children}
      <div class="row">
        <button
          class={`button ${isDanger ? "danger" : "main"}`}
          aria-disabled={form.isBusy.value}
          disabled={isDisabled}
        >
          {action}
        </button>
        {others}
      </div>
    </form>
  );
}

/** Scrolls to the first field with an error, or to the notice above the form, because the button may be far below. */
function showFault(form: HTMLFormElement | null): void {
  const field = form?.querySelector<HTMLElement>("[aria-invalid=true]");
  if (field) field.focus();
  else form?.querySelector(":scope > [role=alert]")?.scrollIntoView({ block: "center" });
}

/** Whether the form shows the field of an error. */
function isShown(form: HTMLFormElement | null, name: string): boolean {
  return form?.elements.namedItem(fieldOf(name)) != null;
}

/** `profile.first_name` and `profile[first_name]` are errors of the field `first_name`. */
export function fieldOf(name: string): string {
  return name.split(/[.[\]]/).findLast((part) => part !== "") ?? name;
}
