import { visit } from "./click.ts";
import type { Outcome } from "./post.ts";
import { quietly } from "./quietly.ts";
import { record } from "./sender.ts";

const EMAIL = "[type=email],[autocomplete~=email],[name*=email i]";
/** The longest sign-up to send, in characters. */
const MAX_LENGTH = 16_000;
/** After submitting a form that waits for success, the page must navigate within this time. */
const SUCCESS_MS = 30_000;

/** The person in the last submitted form, and until when to remember them. */
let noted: object | undefined;
let notedUntil = 0;

/** Remembers the person in a form that is marked for sign-up. Returns whether to sign them up immediately. */
export function noteForm(form: HTMLFormElement, submitter?: Element | null): boolean {
  const mark = form.getAttribute("data-svc-signup");
  // A button that only closes a dialog signs nobody up.
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

/** Whether a submitted form waits for its success. */
export const isNoted = (): boolean => !!noted && notedUntil > Date.now();

/** Signs up a person (by default the remembered one) and reports their visit. */
export async function signup(person: object | undefined = noted): Promise<Outcome> {
  noted = undefined;
  const event = { ...person, ...visit() } as { tid?: string };
  const fits = quietly(() => JSON.stringify(event).length < MAX_LENGTH);
  if (fits && event.tid) return record("signup", event);
  return { status: "refused", error: fits ? "no referral" : "too long" };
}
