/**
 * Makes the reader of an option that is a whole number, from `least` to `most` if these are given.
 *
 * @throws Error that names the option
 */
export function wholeNumber(option: string, [least, most]: [number, number] = [0, Infinity]) {
  const range = most === Infinity ? "" : ` from ${least} to ${most}`;
  return (value: string): number => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : -1;
    if (number >= least && number <= most) return number;
    throw new Error(`${option} must be a whole number${range}`);
  };
}

/** The same for an argument of several whole numbers. */
export function wholeNumbers(argument: string) {
  const read = wholeNumber(argument);
  return (value: string, before: number[] = []): number[] => [...before, read(value)];
}
