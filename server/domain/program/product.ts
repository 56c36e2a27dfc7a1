import { Failure } from "../../failure.ts";
import { indexed } from "../../storage/digests.ts";
import { type Reader, type Transaction, TAKEN } from "../../storage/store.ts";
import { integer, json, table, text, time, type RowOf } from "../../storage/table.ts";
import type { Context } from "../context.ts";

/** A price, or a plan, at which a product is sold. */
export interface Price {
  /** The payment processor's id, unique among an account's products. Sales name it as their plan. */
  ext_id: string;
  /** What it is, for people. */
  desc: string | null;
}

const productFields = {
  id: integer(),
  name: text(),
  /** The payment processor's id of the product, or null. */
  ext_id: text().nullable(),
  prices: json<Price[]>(),
  created_at: time(),
};

/** A product of the company. Rewards may be limited to certain products. */
export type Product = RowOf<typeof productFields>;

export const products = table("product", productFields, {
  derived: {
    words: ["text", wordsOf],
  },
  unique: { ext_id: ["ext_id"] },
});

/** Links a price to its product. */
const productPriceFields = {
  ext_id: text(),
  product_id: integer(),
};

/** The prices of all products. Each belongs to one product only. */
export const productPrices = table("product-price", productPriceFields, {
  key: ["ext_id_key"],
  derived: {
    ext_id_key: ["text", ({ ext_id }) => indexed(ext_id)],
  },
});

/** The input for a new product. */
type NewProduct = Pick<Product, "name" | "ext_id" | "prices">;

/** Makes a product. @throws Failure `taken`, `rule_broken` if it names a price twice */
export async function createProduct(
  tx: Transaction,
  { now }: Pick<Context, "now">,
  accountId: number,
  input: NewProduct,
): Promise<Product> {
  const id = await tx.nextId("product");
  const product: Product = { account_id: accountId, id, ...input, created_at: now.toISOString() };
  await write(tx, null, product);
  return product;
}

/** Changes to a product. Undefined fields stay unchanged. */
type ProductChanges = { [F in keyof NewProduct]?: NewProduct[F] | undefined };

/** Changes a product. @throws Failure `not_found`, `taken`, `rule_broken` if it names a price twice */
export async function updateProduct(
  tx: Transaction,
  accountId: number,
  { id, changes }: { id: number; changes: ProductChanges },
): Promise<Product> {
  const before = await loadProduct(tx, accountId, id);
  const { name = before.name, ext_id = before.ext_id, prices = before.prices } = changes;
  const after: Product = { ...before, name, ext_id, prices };
  await write(tx, before, after);
  return after;
}

/**
 * Deletes a product that is not in use. `refuseUsed` refuses one that records refer to. The product is locked, so that
 * none are added meanwhile.
 *
 * @throws Failure `not_found`, `in_use`
 * @see docs/spec/v2.md "Deletions"
 */
export async function deleteProduct(
  tx: Transaction,
  accountId: number,
  { id, refuseUsed }: { id: number; refuseUsed: (tx: Transaction, product: Product) => Promise<void> },
): Promise<void> {
  const product = await loadProduct(tx, accountId, id);
  await tx.lock(products, accountId, id);
  await refuseUsed(tx, product);
  for (const { ext_id } of product.prices) await tx.remove(productPrices, accountId, indexed(ext_id));
  await tx.remove(products, accountId, id);
}

/** The product that has a price with this external id, or null. */
export async function findProductByPrice(
  reader: Reader,
  accountId: number,
  planId: string,
): Promise<Product | null> {
  const price = await reader.get(productPrices, accountId, indexed(planId));
  return price && reader.get(products, accountId, price.product_id);
}

/** @throws Failure `not_found` */
export async function loadProduct(reader: Reader, accountId: number, id: number): Promise<Product> {
  const product = await reader.get(products, accountId, id);
  if (product === null) throw new Failure("not_found", "Product not found.");
  return product;
}

/** The texts that a product search matches, in lower case. */
function wordsOf({ name, ext_id, prices }: Product): string {
  return [name, ext_id ?? "", ...prices.map((price) => price.ext_id)].join("\n").toLowerCase();
}

const BROKEN = "The record breaks a rule";
const REFUSALS = { ext_id: () => new Failure("taken", BROKEN, { ext_id: [TAKEN] }) };

async function write(tx: Transaction, before: Product | null, after: Product): Promise<void> {
  const { account_id, id: productId } = after;
  const [former, wanted] = [extIdsOf(before), extIdsOf(after)];
  if (wanted.size < after.prices.length) {
    throw new Failure("rule_broken", BROKEN, { prices: ["must not name a price twice"] });
  }
  for (const extId of former) {
    if (!wanted.has(extId)) await tx.remove(productPrices, account_id, indexed(extId));
  }
  for (const extId of wanted) {
    if (former.has(extId)) continue;
    if ((await tx.get(productPrices, account_id, indexed(extId))) !== null) {
      throw new Failure("taken", BROKEN, { prices: [`must not hold ${extId}, which another product has`] });
    }
    await tx.insert(productPrices, { account_id, ext_id: extId, product_id: productId });
  }
  await tx.put(products, after, REFUSALS);
}

function extIdsOf(product: Product | null): Set<string> {
  return new Set(product?.prices.map(({ ext_id }) => ext_id));
}
