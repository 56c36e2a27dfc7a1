/** The whole months from one instant to a later one, in UTC. 0: less than one. */
export function monthsBetween(from: Date, to: Date): number {
  const months = 12 * (to.getUTCFullYear() - from.getUTCFullYear()) + to.getUTCMonth() - from.getUTCMonth();
  const isBeforeDay = restOfMonth(to) < restOfMonth(from);
  return Math.max(0, months - (isBeforeDay ? 1 : 0));
}

/** The time since the month began, in milliseconds. */
function restOfMonth(at: Date): number {
  return at.getTime() - Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1);
}
