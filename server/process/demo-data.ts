import { findFirstAccount } from "../domain/account/account.ts";
import type { Context } from "../domain/context.ts";
import { DEMO_SIZE, fillDemo } from "../domain/seed/seed.ts";

/** The stream that shows progress. */
interface Screen {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** Fills the store with demo data. On a terminal, one line shows how far it is. */
export async function fillWithDemo(context: Context, screen: Screen): Promise<void> {
  const account = await findFirstAccount(context.store);
  if (account === null) throw new Error("The store has no account");
  const show = (share: number) => {
    if (screen.isTTY) screen.write(`\rFilling the store with demo data: ${Math.floor(share * 100)} %`);
  };
  show(0);
  await fillDemo(context, account, show);
  if (screen.isTTY) screen.write("\n");
}

/** Says what the store holds and, unless the first start's text says how the owner gets in, what to open. */
export function demoNews(publicUrl: string, { isFirstStart }: { isFirstStart: boolean }): string {
  const { promoters, leads } = DEMO_SIZE;
  return [
    ...(isFirstStart ? [] : ["", `  Dashboard    ${publicUrl}/admin`]),
    `  Demo data    ${promoters} promoters, ${leads.toLocaleString("en")} leads and a year of sales`,
    "",
  ].join("\n");
}
