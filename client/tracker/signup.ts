import { visit } from "./click.ts";
import { takePerson } from "./form.ts";
import type { Outcome } from "./post.ts";
import { record } from "./sender.ts";

/** Signs up a person, or the one in the form that waits for its success, and reports their visit. */
export async function signup(given?: object): Promise<Outcome> {
  const kept = takePerson();
  const event = { ...(given || kept), ...visit() } as { tid?: string };
  return event.tid ? record("signup", event) : { status: "refused", error: "no referral" };
}
