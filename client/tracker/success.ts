import { parse } from "./address.ts";
import { isPrivate } from "./queue.ts";
import { quietly } from "./quietly.ts";
import { visitor } from "./visitor.ts";

const NAME = "_svc_form";
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

/** Stores a form until it has succeeded, for this page and the next one in this tab. */
export function keepForm({ person, addresses }: { person: object; addresses: string[] }): void {
  submission = { person, paths: addresses.map((address) => parse(address).pathname), at: Date.now() };
  if (visitor().tid && !isPrivate()) quietly(() => (sessionStorage[NAME] = JSON.stringify(submission)));
}

/** Loads the previous page's form, unless this page has one, and removes it from storage. */
export function takeOverForm(): void {
  quietly(() => {
    if (submission) return;
    const text = sessionStorage[NAME];
    delete sessionStorage[NAME];
    submission = JSON.parse(text) as Submission;
  });
}

/** Returns the person in the stored form, and removes the form. */
export function takePerson(): object | undefined {
  takeOverForm();
  const person = submission?.person;
  submission = undefined;
  quietly(() => delete sessionStorage[NAME]);
  return person;
}

/** The same if the form has led to another page. */
export function takeSuccess(): object | undefined {
  if (!submission || submission.paths.includes(location.pathname)) return;
  return Date.now() - submission.at < SUCCESS_MS ? takePerson() : undefined;
}
