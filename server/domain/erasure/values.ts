import { Failure } from "../../failure.ts";
import type { Promoter } from "../promoter/record.ts";

/** An address that reaches nobody (RFC 2606). It contains the id, because addresses are unique. */
export function erasedEmail(id: number): string {
  return `erased-${id}@erased.invalid`;
}

/** Whether a promoter or a lead was erased. */
export function isErased({ id, email }: { id: number; email: string | null }): boolean {
  return email === erasedEmail(id);
}

/**
 * Stops changes that could bring personal data back into the record of an erased promoter. @throws Failure `refused`
 */
export function refuseErased(promoter: Promoter): void {
  if (isErased(promoter)) throw new Failure("refused", "Promoter was erased.");
}
