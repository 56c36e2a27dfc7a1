import { Failure } from "../../failure.ts";
import type { Product, ProductPrice } from "./record.ts";
import { collection, listCounts, type Count } from "../../storage/collection.ts";
import { fingerprint, type Key } from "../../storage/keys.ts";
import { findPage, type Found, type Window } from "../../storage/listing/page-search.ts";
import type { Reader, Store, Transaction } from "../../storage/store.ts";
import { TAKEN } from "../../storage/transaction/taken-claims.ts";
import type { Context } from "../context.ts";

export const products = collection<Product>()({
  name: "product",
  id: (product) => [product.id],
  claims: {
    extId: ({ extId }) => (extId === null ? null : [extId]),
  },
  indexes: {},
  counts: () => listCounts("product", {}),
});

/** A claim holds one value for each record, so every price of a product has a record of its own. */
export const productPrices = collection<ProductPrice>()({
  name: "product-price",
  id: ({ extId }) => priceKey(extId),
  claims: {},
  indexes: {},
});

const BROKEN = "The record breaks a rule";
const REFUSALS = { extId: () => new Failure("taken", BROKEN, { extId: [TAKEN] }) };

/** The input for a new product. */
export type NewProduct = Pick<Product, "name" | "extId" | "prices">;

/** Changes to a product. undefined: unchanged. */
export type ProductChanges = { [F in keyof NewProduct]?: NewProduct[F] | undefined };

/** Makes a product. @throws Failure `taken`, `rule_broken` if it names a price twice */
export async function createProduct(
  { store, now }: Context,
  accountId: number,
  input: NewProduct,
): Promise<Product> {
  const id = await store.nextId("product");
  const product: Product = { accountId, id, ...input, createdAt: now.toISOString() };
  await store.transact((tx) => write(tx, null, product));
  return product;
}

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
      extId: changes.extId === undefined ? before.extId : changes.extId,
      prices: changes.prices ?? before.prices,
    };
    await write(tx, before, after);
    return after;
  });
}

/**
 * Deletes a product.
 *
 * Choice: a product with rewards can't be deleted, because the rewards would silently apply to nothing. Nor can one
 * that was sold, because its sales name it.
 *
 * @throws Failure `not_found`, `in_use`
 */
export function deleteProduct({ store }: Context, accountId: number, id: number): Promise<void> {
  return store.transact(async (tx) => {
    const product = await loadProduct(tx, accountId, id);
    const uses = await tx.sum(accountId, useCounter(id));
    if (uses > 0) throw new Failure("in_use", `${uses} records refer to the product`);
    for (const { extId } of product.prices) await tx.remove(productPrices, accountId, ...priceKey(extId));
    await tx.remove(products, accountId, id);
  });
}

/** Products whose name, or an external id of theirs, contains a text, oldest first. null: all. */
export function findProducts(
  store: Store,
  accountId: number,
  { text, ...window }: { text: string | null } & Window,
): Promise<Found<Product>> {
  const wanted = text?.trim().toLowerCase() ?? null;
  const keeps = wanted === null ? undefined : (product: Product) => mentions(product, wanted);
  return findPage(store, products, { accountId, index: "id", start: [], keeps, ...window });
}

/** The product that has a price with this external id, or null. */
export async function findProductByPrice(
  reader: Reader,
  accountId: number,
  planId: string,
): Promise<Product | null> {
  const price = await reader.get(productPrices, accountId, ...priceKey(planId));
  return price && reader.get(products, accountId, price.productId);
}

/** @throws Failure `not_found` */
export async function loadProduct(reader: Reader, accountId: number, id: number): Promise<Product> {
  const product = await reader.get(products, accountId, id);
  if (product === null) throw new Failure("not_found", "Product not found.");
  return product;
}

/** Counts a record's references to products, which can't be deleted meanwhile. */
export function productUses(productIds: number[]): Count[] {
  return productIds.map((id) => [useCounter(id), 1]);
}

async function write(tx: Transaction, before: Product | null, after: Product): Promise<void> {
  const { accountId, id: productId } = after;
  const [former, wanted] = [extIdsOf(before), extIdsOf(after)];
  if (wanted.size < after.prices.length) {
    throw new Failure("rule_broken", BROKEN, { prices: ["must not name a price twice"] });
  }
  for (const extId of former) {
    if (!wanted.has(extId)) await tx.remove(productPrices, accountId, ...priceKey(extId));
  }
  for (const extId of wanted) {
    if (former.has(extId)) continue;
    if ((await tx.get(productPrices, accountId, ...priceKey(extId))) !== null) {
      throw new Failure("taken", BROKEN, { prices: [`must not hold ${extId}, which another product has`] });
    }
    await tx.insert(productPrices, { accountId, extId, productId });
  }
  await tx.put(products, after, REFUSALS);
}

function extIdsOf(product: Product | null): Set<string> {
  return new Set(product?.prices.map(({ extId }) => extId));
}

function mentions({ name, extId, prices }: Product, wanted: string): boolean {
  const words = [name, extId ?? "", ...prices.map((price) => price.extId)];
  return words.some((word) => word.toLowerCase().includes(wanted));
}

/** External ids may be long, so the key holds a hash. */
function priceKey(extId: string): Key {
  return [fingerprint([extId])];
}

function useCounter(productId: number): Key {
  return ["product.use", productId];
}
