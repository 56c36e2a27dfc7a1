/**
 * The whole months from one instant to a later one, in UTC. 0: less than one.
 *
 * Choice: a month ends on the last day of a shorter month, as subscriptions do: a month after 31 January it is
 * 28 February, and a year after 29 February it is 28 February.
 */
export function monthsBetween(from: Date, to: Date): number {
  const [year, month] = [to.getUTCFullYear(), to.getUTCMonth()];
  const months = 12 * (year - from.getUTCFullYear()) + month - from.getUTCMonth();
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = Math.min(from.getUTCDate(), lastDay);
  const isOver = to.getTime() >= Date.UTC(year, month, day) + timeOfDay(from);
  return Math.max(0, isOver ? months : months - 1);
}

/** The time since midnight, in milliseconds. */
function timeOfDay(at: Date): number {
  return at.getTime() - Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate());
}
