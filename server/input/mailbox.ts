import { email } from "./fields.ts";

/** A person as a mail program writes them. Null: no name is given. */
export interface Mailbox {
  email: string;
  first_name: string | null;
  last_name: string | null;
}

/** As long as the names that newcomers give themselves. */
const NAME_LENGTH = 100;

/**
 * Reads an e-mail address with or without a name: `hans@example.com`, `Hans Huber <hans@example.com>`, or
 * `"Huber, Hans" <hans@example.com>`. Null if it is none.
 */
export function readMailbox(given: string): Mailbox | null {
  const [, written = "", address = given] = /^([^<>]*)<([^<>]+)>\s*$/.exec(given) ?? [];
  const parsed = email.safeParse(address);
  if (!parsed.success) return null;
  const name = written
    .replace(/\\(.)/g, "$1")
    // eslint-disable-next-line no-control-regex -- control characters are no part of a name, and a NUL arrives as U+FFFD
    .replace(/["\s\u0000-\u001f\u007f-\u009f\ufffd]+/g, " ")
    .trim()
    // Outlook writes 'Hans Huber'.
    .replace(/^'\s*(.*?)\s*'$/, "$1");
  // Some mail programs write the address as the name.
  if (name === "" || name.includes("@")) return { email: parsed.data, first_name: null, last_name: null };
  return { email: parsed.data, ...namesIn(name) };
}

/** Leaves out repeated addresses. Whichever mention has a name gives it. */
export function distinctMailboxes(people: Mailbox[]): Mailbox[] {
  const found = new Map<string, Mailbox>();
  for (const person of people) {
    const address = person.email.toLowerCase();
    const isNamed = person.first_name !== null || person.last_name !== null;
    if (isNamed || !found.has(address)) found.set(address, person);
  }
  return [...found.values()];
}

/** The last word is the last name, unless a comma says that it comes first. */
export function namesIn(name: string): Pick<Mailbox, "first_name" | "last_name"> {
  const [last = "", first] = name.split(/\s*,\s*/);
  const words = name.split(" ");
  const [firstName, lastName] =
    first === undefined
      ? [words.slice(0, -1).join(" ") || name, words.length > 1 ? words.at(-1)! : ""]
      : [first, last];
  return { first_name: named(firstName), last_name: named(lastName) };
}

function named(text: string): string | null {
  // A character outside the basic plane is kept whole or not at all.
  return text.slice(0, NAME_LENGTH).replace(/[\ud800-\udbff]$/, "") || null;
}
