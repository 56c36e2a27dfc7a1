import { isValidBIC, isValidIBAN } from "ibantools";

/** A number of a bank without blanks and dashes, in capitals. */
export function compactNumber(value: string): string {
  return value.replace(/[\s-]/g, "").toUpperCase();
}

/** Whether a text is an IBAN of its country's length and structure, with the right check digits. @see ISO 13616 */
export function isIban(value: string): boolean {
  return isValidIBAN(compactNumber(value));
}

/** Whether a text is a BIC. @see ISO 9362 */
export function isBic(value: string): boolean {
  return isValidBIC(compactNumber(value));
}

const ROUTING_WEIGHTS = [3, 7, 1, 3, 7, 1, 3, 7, 1];

/** Whether a text is the routing number of a bank in the United States, with the right check digit. */
export function isRoutingNumber(value: string): boolean {
  const number = compactNumber(value);
  if (!/^\d{9}$/.test(number) || /^0+$/.test(number)) return false;
  const sum = ROUTING_WEIGHTS.reduce((total, weight, at) => total + weight * Number(number[at]), 0);
  return sum % 10 === 0;
}

const CLABE_WEIGHTS = [3, 7, 1];

/** Whether a text is a CLABE, the number of an account in Mexico, with the right check digit. */
export function isClabe(value: string): boolean {
  const number = compactNumber(value);
  if (!/^\d{18}$/.test(number)) return false;
  const digits = [...number].map(Number);
  const sum = digits
    .slice(0, 17)
    .reduce((total, digit, at) => total + ((digit * CLABE_WEIGHTS[at % 3]!) % 10), 0);
  return (10 - (sum % 10)) % 10 === digits[17];
}
