/** Reads a campaign's id. @throws Error if it is not a number */
export function campaignIdOf(value: string): number {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new Error(`${value} is not a campaign id`);
}
