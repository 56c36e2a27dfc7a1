import { Failure } from "../failure.ts";
import type { Promoter } from "../records.ts";

/** An address that reaches nobody (RFC 2606), one for each id, as addresses are unique. */
export function erasedEmail(id: number): string {
  return `erased-${id}@erased.invalid`;
}

/** Whether a promoter was erased. */
export function isErased({ id, email }: Promoter): boolean {
  return email === erasedEmail(id);
}

/** The record of an erased promoter stands for nobody, and nothing of a person may come back to it. @throws Failure `refused` */
export function refuseErased(promoter: Promoter): void {
  if (isErased(promoter)) throw new Failure("refused", "Promoter was erased.");
}
