const EMAIL = '[type=email],[autocomplete~=email],[name*="email" i]';

/** Reads the person in a form: the first e-mail address, and the marked fields. */
export function personIn(form: HTMLFormElement): object {
  const person: Record<string, unknown> = {};
  for (const field of form.elements as unknown as HTMLInputElement[]) {
    const { type, checked, value, dataset } = field;
    if (!person["email"] && field.matches(EMAIL) && value.includes("@")) person["email"] = value;
    if (dataset["svcField"] && (checked || !/radio|checkbox/.test(type))) person[dataset["svcField"]] = value;
  }
  return person;
}
