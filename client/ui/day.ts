/**
 * The calendar day of this moment, `2026-03-04`. Facts are counted by days of UTC, so ranges end with today there,
 * whatever the account's time zone is.
 */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** The calendar day some days before another. A text that is no day comes back unchanged, and the server refuses it. */
export function daysBefore(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime())) return day;
  date.setUTCDate(date.getUTCDate() - days);
  return date.toISOString().slice(0, 10);
}
