import { createFirstAccount } from "./domain/account.ts";
import type { Context } from "./domain/context.ts";

/** What the operator is told when the store gets its first account; never again. */
export interface FirstStart {
  publicUrl: string;
  accountId: string | null;
  apiKey: string | null;
}

/** Makes the first account of an empty store and gives the text that names it, or null. */
export async function firstStart(context: Context, input: FirstStart): Promise<string | null> {
  const { publicUrl } = input;
  const first = await createFirstAccount(context, {
    name: "First account",
    publicId: input.accountId ?? undefined,
    key: input.apiKey ?? undefined,
    landingUrl: `${publicUrl}/demo`,
  });
  if (first === null) return null;
  return [
    "",
    "  The first account was made. Its key is shown this once:",
    "",
    `  Account ID   ${first.account.publicId}`,
    `  API key      ${first.key}`,
    `  Script tag   <script async src="${publicUrl}/svc.js" data-cid="${first.account.publicId}"></script>`,
    `  Demo page    ${publicUrl}/demo`,
    "",
    "",
  ].join("\n");
}
