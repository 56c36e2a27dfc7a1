/** Makes the reader of an option that is a whole number. @throws Error that names the option */
export function wholeNumber(option: string) {
  return (value: string): number => {
    if (/^\d{1,15}$/.test(value)) return Number(value);
    throw new Error(`${option} must be a whole number`);
  };
}

/** The same for an argument of several whole numbers. */
export function wholeNumbers(argument: string) {
  const read = wholeNumber(argument);
  return (value: string, before: number[] = []): number[] => [...before, read(value)];
}
