import { parse } from "./address.ts";
import { isPrivate } from "./queue.ts";
import { quietly, storageName } from "./state.ts";
import { isReadable, svc } from "./svc.ts";
import { who } from "./visitor.ts";

const EMAIL = 'input[type=email],input[autocomplete~=email],input[name*="email" i]';
/** A submitted form must lead to another page within this time. */
const SUCCESS_MS = 30_000;

/** A submitted form whose success is not known yet. */
interface Submission {
  person: object;
  /** Where a refused form would be shown again: on its own page, or at its action's URL. */
  paths: string[];
  at: number;
}

let submission: Submission | undefined;

/** Signs up the person in a submitted form if it is marked. */
export function signUpForm(form: HTMLFormElement, submitter?: Element | null): void {
  const mark = (ofForm(form, "dataset") as DOMStringMap)["svcSignup"];
  if (mark === undefined) return;
  const person = personIn(form);
  if (mark !== "success") return void svc("signup", person);
  const action = submitter?.getAttribute("formaction") || (ofForm(form, "action") as string);
  submission = { person, paths: [location.href, action].map(pathOf), at: Date.now() };
  if (who().tid && !isPrivate())
    quietly(() => (sessionStorage[storageName("form")] = JSON.stringify(submission)));
}

/** A property of a form. The form may have a field of the same name, which would hide it: `action`, `elements`. */
const ofForm = (form: HTMLFormElement, name: string): unknown =>
  Reflect.get(HTMLFormElement.prototype, name, form);

/** Loads the previous page's form, unless this page has one, and removes it from storage. */
export function takeOverForm(): void {
  quietly(() => {
    if (submission) return;
    const text = sessionStorage[storageName("form")];
    delete sessionStorage[storageName("form")];
    if (text) submission = JSON.parse(text) as Submission;
  });
}

/** Returns the person in the stored form, and removes the form. */
export function takePerson(): object | undefined {
  takeOverForm();
  const person = submission?.person;
  submission = undefined;
  quietly(() => delete sessionStorage[storageName("form")]);
  return person;
}

/** Removes the stored form if a link leads to another page in this tab, which is then not the form's success. */
export function dropForm({ host, href, target }: HTMLAnchorElement): void {
  // Links such as `mailto:` have no host.
  if (!target && host && href.split("#")[0] !== location.href.split("#")[0]) takePerson();
}

/** Returns the person in the stored form, and removes the form, if it has led to another page. */
export function takeSuccess(): object | undefined {
  if (!submission || submission.paths.includes(pathOf(location.href))) return;
  return Date.now() - submission.at < SUCCESS_MS ? takePerson() : undefined;
}

/** Servers may add a slash to the path of a form that they show again. */
const pathOf = (address: string): string => parse(address).pathname.replace(/\/$/, "");

/** Reads the person in a form: the first visible e-mail address, and the marked fields. */
function personIn(form: HTMLFormElement): object {
  const person: Record<string, unknown> = {};
  for (const field of ofForm(form, "elements") as HTMLInputElement[]) {
    const { value, dataset } = field;
    if (!isReadable(field)) continue;
    if (dataset["svcField"]) person[dataset["svcField"]] = value;
    else if (!person["email"] && isEmail(field)) person["email"] = value;
  }
  return person;
}

/** A form that was sent before the second file was there is a copy outside of the page, so nothing tells what is visible. */
const isEmail = (field: HTMLInputElement): boolean =>
  /^(email|text)$/.test(field.type) &&
  field.matches(EMAIL) &&
  field.value.includes("@") &&
  (!field.isConnected || field.checkVisibility?.() !== false);
