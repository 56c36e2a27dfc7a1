import { signal, useSignal, type Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { asRefusal, type Refusal } from "../api/refusal.ts";
import { Notice } from "../feedback/notice.tsx";

/** The values of a form's fields by the interface's names: text, or whether a box is ticked. */
type Values = Record<string, string | boolean>;

/** A form's state. It outlives refusals and ended sessions: nothing that was typed is lost. */
export interface FormState<V extends Values> {
  values: { [N in keyof V]: Signal<V[N]> };
  /** Faults by field, as the interface named them. */
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

/** The present values of a form. */
export function valuesOf<V extends Values>(form: FormState<V>): V {
  return Object.fromEntries(Object.entries(form.values).map(([name, value]) => [name, value.peek()])) as V;
}

/** Shows other values, such as those that the server has saved. */
export function fillForm<V extends Values>(form: FormState<V>, values: V): void {
  for (const name in values) form.values[name].value = values[name];
}

interface FormProps<V extends Values> {
  form: FormState<V>;
  /** Sends the values. What it throws is shown at the fields that it names, or above them. */
  onSubmit: (values: V) => Promise<void>;
  /** The words of the button: what it does. */
  action: string;
  /** Beside the button. */
  others?: ComponentChildren;
  isDanger?: boolean;
  /** Whether it can't be sent yet. */
  isDisabled?: boolean;
  children: ComponentChildren;
}

/** Fields with one button that sends them. */
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
      // After the faults are shown.
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

/** Leads to the first field with a fault, otherwise to what stands above a form. Its button may be far below. */
function showFault(form: HTMLFormElement | null): void {
  const field = form?.querySelector<HTMLElement>("[aria-invalid=true]");
  if (field) field.focus();
  else form?.querySelector(":scope > [role=alert]")?.scrollIntoView({ block: "center" });
}

/** Whether a form has the field that a fault is about. A value may stand for a field that is not shown. */
function isShown(form: HTMLFormElement | null, name: string): boolean {
  return form?.elements.namedItem(fieldOf(name)) != null;
}

/** `profile.first_name` and `profile[first_name]` are faults of the field `first_name`. */
export function fieldOf(name: string): string {
  return name.split(/[.[\]]/).findLast((part) => part !== "") ?? name;
}
