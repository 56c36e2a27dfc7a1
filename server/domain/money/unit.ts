export const UNITS = ["cash", "credits", "points", "free_months", "mon_discount", "discount_per"] as const;

/** The unit of an amount: `cash` in cents, all others in whole units. */
export type Unit = (typeof UNITS)[number];
