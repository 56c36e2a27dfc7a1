import { visit } from "./click.ts";
import { takePerson } from "./form.ts";
import type { Outcome } from "./post.ts";
import { quietly } from "./quietly.ts";
import { record } from "./sender.ts";

/** The longest sign-up to send, in characters. */
const MAX_LENGTH = 16_000;

/** Signs up a person, or the one in the form that waits for its success, and reports their visit. */
export async function signup(given?: object): Promise<Outcome> {
  const kept = takePerson();
  const event = { ...(given || kept), ...visit() } as { tid?: string };
  const fits = quietly(() => JSON.stringify(event).length < MAX_LENGTH);
  if (fits && event.tid) return record("signup", event);
  return { status: "refused", error: fits ? "no referral" : "too long" };
}
