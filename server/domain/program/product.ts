import { Failure } from "../../failure.ts";
import { indexed } from "../../storage/digests.ts";
import { contains, findPage, type Found, type Schema, type Window } from "../../storage/query.ts";
import { type Reader, type Store, type Transaction, TAKEN } from "../../storage/store.ts";
import { integer, json, table, text, time, type RowOf } from "../../storage/table.ts";
import type { Context } from "../context.ts";

/** A price, or a plan, at which a product is sold. */
export interface Price {
  /** The payment processor's id, unique among an account's products. Sales name it as their plan. */
  ext_id: string;
  description: string | null;
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
  { store, now }: Context,
  accountId: number,
  input: NewProduct,
): Promise<Product> {
  const id = await store.nextId("product");
  const product: Product = { account_id: accountId, id, ...input, created_at: now.toISOString() };
  await store.transact((tx) => write(tx, null, product));
  return product;
}

/** Changes to a product. Undefined fields stay unchanged. */
type ProductChanges = { [F in keyof NewProduct]?: NewProduct[F] | undefined };

/** Changes a product. @throws Failure `not_found`, `taken`, `rule_broken` if it names a price twice */
export function updateProduct(
  { store }: Context,
  accountId: number,
  { id, changes }: { id: number; changes: ProductChanges },
): Promise<Product> {
  return store.transact(async (tx) => {
    const before = await loadProduct(tx, accountId, id);
    const after: Product = {
      ...before,
      name: changes.name ?? before.name,
      ext_id: changes.ext_id === undefined ? before.ext_id : changes.ext_id,
      prices: changes.prices ?? before.prices,
    };
    await write(tx, before, after);
    return after;
  });
}

/** The product to delete. */
interface ProductRemoval {
  id: number;
  /** Refuses a product that records refer to. It is locked, so that none are added meanwhile. */
  refuseUsed: (tx: Transaction, product: Product) => Promise<void>;
}

/**
 * Deletes a product that is not in use.
 *
 * @throws Failure `not_found`, `in_use`
 * @see docs/spec/v2.md "Deletions"
 */
export function deleteProduct(
  { store }: Context,
  accountId: number,
  { id, refuseUsed }: ProductRemoval,
): Promise<void> {
  return store.transact(async (tx) => {
    const product = await loadProduct(tx, accountId, id);
    await tx.lock(products, accountId, id);
    await refuseUsed(tx, product);
    for (const { ext_id } of product.prices) await tx.remove(productPrices, accountId, indexed(ext_id));
    await tx.remove(products, accountId, id);
  });
}

type ProductSchema = Schema<{ products: typeof products }>;

/** Products whose name or external ids contain a text, oldest first. Null finds all. */
export function findProducts(
  store: Store,
  accountId: number,
  { text, ...window }: { text: string | null } & Window,
): Promise<Found<Product>> {
  const all = store
    .query<ProductSchema>()
    .selectFrom("products")
    .where("account_id", "=", accountId)
    .orderBy("id");
  const query = text === null ? all : all.where(contains("words", text.trim()));
  return findPage(store, products, { query, ...window });
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
