/** An address that reaches nobody (RFC 2606), one for each id, as addresses are unique. */
export function erasedEmail(id: number): string {
  return `erased-${id}@erased.invalid`;
}
