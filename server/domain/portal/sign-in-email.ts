import type { Context } from "../context.ts";
import { enqueueAccessEmail } from "../email/access-email.ts";
import type { Member } from "./sign-in.ts";

/** Sends each promoter an e-mail with a link that signs them in, as long as `mayMail` allows one more. */
export async function sendSignInLinks(
  context: Context,
  members: Member[],
  mayMail: () => Promise<boolean>,
): Promise<void> {
  for (const member of members) {
    if (!(await mayMail())) return;
    const id = await context.store.nextId("delivery");
    await context.store.transact((tx) =>
      enqueueAccessEmail(tx, context, { id, kind: "sign_in_link", ...member }),
    );
  }
}
