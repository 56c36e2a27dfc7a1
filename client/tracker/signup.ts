import { visit } from "./click.ts";
import type { Outcome } from "./post.ts";
import { quietly } from "./quietly.ts";
import { record } from "./sender.ts";

const EMAIL = "[type=email],[autocomplete~=email],[name*=email i]";
/** The longest sign-up that is sent, in characters. */
const MAX_LENGTH = 16_000;
/** How long a form that waits for its success may take to lead elsewhere. */
const SUCCESS_MS = 30_000;

/** Who has submitted a form, and until when they count. */
let noted: object | undefined;
let notedUntil = 0;

/** Notes who has submitted a form that is marked so. Gives whether they sign up at once. */
export function noteForm(form: HTMLFormElement, submitter?: Element | null): boolean {
  const mark = form.getAttribute("data-svc-signup");
  // A dialog's button that closes it signs nobody up.
  if (mark == null || submitter?.getAttribute("formmethod") === "dialog") return false;
  const fields = [...form.elements] as HTMLInputElement[];
  const person: Record<string, unknown> = {
    email: fields.find((field) => field.matches(EMAIL) && field.value.includes("@"))?.value,
  };
  for (const { type, checked, value, dataset } of fields)
    if (dataset["svcField"] && (checked || !/radio|checkbox/.test(type))) person[dataset["svcField"]] = value;
  noted = person;
  notedUntil = Date.now() + SUCCESS_MS;
  return mark !== "success";
}

/** Whether somebody waits for the success of their form. */
export const isNoted = (): boolean => !!noted && notedUntil > Date.now();

/** Signs a person up, or who is noted, together with their visit. */
export async function signup(person = noted): Promise<Outcome> {
  noted = undefined;
  const told = { ...person, ...visit() } as { tid?: string };
  const isTold = quietly(() => JSON.stringify(told).length < MAX_LENGTH);
  if (isTold && told.tid) return record("signup", told);
  return { status: "refused", error: isTold ? "no referral" : "too long" };
}
