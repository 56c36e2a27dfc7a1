/** A price, or a plan, that a product is sold at. */
export interface Price {
  /** The payment processor's id. No two products of an account share one. Sales name it as their plan. */
  extId: string;
  description: string | null;
}

/** A thing that the company sells. Rewards may be for certain products only. */
export interface Product {
  accountId: number;
  id: number;
  name: string;
  /** The payment processor's id of the product. null: it has none there. */
  extId: string | null;
  prices: Price[];
  createdAt: string;
}

/** Says which product a price belongs to. */
export interface ProductPrice {
  accountId: number;
  extId: string;
  productId: number;
}
