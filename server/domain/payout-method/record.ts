export const PAYOUT_METHODS = ["bank", "crypto", "custom", "paypal", "wise", "dots"] as const;

export type PayoutMethodName = (typeof PAYOUT_METHODS)[number];

/** How a sentence names a way of payment: `paid by …`. */
export const METHOD_WORDS: Record<PayoutMethodName, string> = {
  bank: "bank transfer",
  crypto: "crypto wallet",
  custom: "another way",
  paypal: "PayPal",
  wise: "Wise",
  dots: "Dots",
};

/** A way to pay a promoter. */
export interface PayoutMethod {
  accountId: number;
  id: number;
  promoterId: number;
  method: PayoutMethodName;
  /** The destination of the money: an account, a wallet. */
  details: Record<string, unknown>;
  meta: Record<string, unknown>;
  /** At most one of a promoter's methods is selected. */
  isSelected: boolean;
  isDisabled: boolean;
  isManaged: boolean;
  /**
   * The method that took its place when its details changed. It stays for the payouts that it was used for, unselected
   * and disabled. Absent: it is current.
   */
  replacedById?: number;
  createdAt: string;
}
