import { parse } from "./address.ts";
import { isPrivate } from "./queue.ts";
import { quietly } from "./quietly.ts";
import { visitor } from "./visitor.ts";

const NAME = "_svc_form";
const EMAIL = "[type=email],[autocomplete~=email],[name*=email i]";
/** A form that waits for its success must lead to another page within this time. */
const SUCCESS_MS = 30_000;

/** A submitted form that waits for its success. */
interface Submission {
  person: object;
  /** Where a refused form is shown again: on its own page, or at its action's address. */
  paths: string[];
  at: number;
}

let submission: Submission | undefined;

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

/** Keeps a form until it has succeeded, for this page and the next one in this tab. */
export function keepForm(form: HTMLFormElement): void {
  const action = parse(form.getAttribute("action") || "");
  submission = { person: personIn(form), paths: [location.pathname, action.pathname], at: Date.now() };
  if (visitor().tid && !isPrivate()) quietly(() => (sessionStorage[NAME] = JSON.stringify(submission)));
}

/** Takes over the form that the page before has kept. It is kept for no other page. */
export function takeOverForm(): void {
  quietly(() => {
    submission ??= JSON.parse(sessionStorage[NAME]) as Submission;
    delete sessionStorage[NAME];
  });
}

/** Returns the person in the kept form, and forgets the form. */
export function takePerson(): object | undefined {
  takeOverForm();
  const person = submission?.person;
  submission = undefined;
  return person;
}

/** The same if the form has led to another page. */
export function takeSuccess(): object | undefined {
  if (!submission || submission.paths.includes(location.pathname)) return;
  return Date.now() - submission.at < SUCCESS_MS ? takePerson() : undefined;
}
