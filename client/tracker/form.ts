import { parse } from "./address.ts";

const EMAIL = '[type=email],[autocomplete~=email],[name*="email" i]';

/** A submitted form that waits for its success. */
export interface Submission {
  person: object;
  /** Where a refused form is shown again: on its own page, or at its action's address. */
  paths: string[];
  at: number;
}

/** Reads the person in a form: the first e-mail address, and the marked fields. */
export function personIn(form: HTMLFormElement): object {
  const fields = [...form.elements] as HTMLInputElement[];
  const person: Record<string, unknown> = {
    email: fields.find((field) => field.matches(EMAIL) && field.value.includes("@"))?.value,
  };
  for (const { type, checked, value, dataset } of fields)
    if (dataset["svcField"] && (checked || !/radio|checkbox/.test(type))) person[dataset["svcField"]] = value;
  return person;
}

/** A form that is sent now, and waits for its success. */
export const submissionOf = (form: HTMLFormElement): Submission => ({
  person: personIn(form),
  paths: [location.pathname, parse(form.getAttribute("action") || "").pathname],
  at: Date.now(),
});
