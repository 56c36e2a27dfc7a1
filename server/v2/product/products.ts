import { z } from "zod";
import {
  createProduct,
  deleteProduct,
  findProducts,
  loadProduct,
  updateProduct,
  type Price,
  type Product,
} from "../../domain/product/product.ts";
import { text, word } from "../../input/fields.ts";
import { readJson } from "../../http/parameters/json.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { shapeChanges, shapeInput } from "../../input/shape.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { pageParams, readListing } from "../page-params.ts";
import { readPathId } from "../path-id.ts";
import { recordError } from "../record-error.ts";

const MAX_PRICES = 100;

/** A product of V2. */
const productAnswer = z
  .object({
    id: z.int(),
    name: z.string(),
    ext_id: z.string().nullable(),
    prices: z.array(z.object({ ext_id: z.string(), desc: z.string().nullable() })),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "Product" });

const price = z
  .object({ ext_id: word(255).min(1, "can't be blank"), desc: text.nullish() }, "is invalid")
  .transform(({ ext_id, desc }): Price => ({ extId: ext_id, description: desc ?? null }));

/** Choice: a product may have no prices yet. No sale is of it then. */
const prices = z.array(price, "is invalid").max(MAX_PRICES, `is too long (maximum is ${MAX_PRICES} entries)`);

const listParams = pageParams.extend({ q: text.optional() });
const createBody = z.object({ name: text.trim(), ext_id: word(255).optional(), prices });
/** Choice: `prices` may be left out. They then stay, like every other field. */
const updateBody = z.object({ name: text.trim(), ext_id: word(255).nullable(), prices }).partial();

const shape = recordError({ extId: "ext_id" });

/** `GET /api/v2/company/products` */
export const listProductsOperation: V2Operation = {
  summary: "List products",
  params: listParams,
  answer: z.array(productAnswer),
  isPaged: true,
  refusals: ["invalid"],
  handle: list,
};

/** `POST /api/v2/company/products` */
export const createProductOperation: V2Operation = {
  summary: "Create a product",
  body: createBody,
  answer: productAnswer,
  status: 201,
  refusals: ["invalid", "taken", "rule_broken"],
  shape,
  handle: create,
};

/** `GET /api/v2/company/products/{id}` */
export const getProductOperation: V2Operation = {
  summary: "Get a product",
  answer: productAnswer,
  refusals: ["not_found"],
  handle: get,
};

/** `PUT` and `PATCH /api/v2/company/products/{id}` */
export const updateProductOperation: V2Operation = {
  summary: "Update a product",
  body: updateBody,
  answer: productAnswer,
  refusals: ["not_found", "invalid", "taken", "rule_broken"],
  shape,
  handle: update,
};

/** `DELETE /api/v2/company/products/{id}` */
export const deleteProductOperation: V2Operation = {
  summary: "Delete a product that nothing refers to",
  answer: z.object({ message: z.string() }),
  refusals: ["not_found", "in_use"],
  handle: remove,
};

async function list(request: V2Request) {
  const { account, context } = request;
  const { params, page, window } = readListing(request, listParams);
  const found = await findProducts(context.store, account.id, { text: params.q ?? null, ...window });
  setPageHeaders(request, page, found.total);
  return found.records.map(productJson);
}

async function create({ event, account, context }: V2Request) {
  const { name, ext_id, prices } = shapeInput(createBody, await readJson(event));
  return productJson(await createProduct(context, account.id, { name, extId: ext_id ?? null, prices }));
}

async function get({ event, account, context: { store } }: V2Request) {
  return productJson(await loadProduct(store, account.id, readPathId(event)));
}

async function update({ event, account, context }: V2Request) {
  const id = readPathId(event);
  const { name, ext_id: extId, prices } = shapeChanges(updateBody, await readJson(event));
  return productJson(await updateProduct(context, account.id, { id, changes: { name, extId, prices } }));
}

async function remove({ event, account, context }: V2Request) {
  await deleteProduct(context, account.id, readPathId(event));
  return { message: "Product deleted successfully" };
}

function productJson(product: Product): z.output<typeof productAnswer> {
  return {
    id: product.id,
    name: product.name,
    ext_id: product.extId,
    prices: product.prices.map(({ extId, description }) => ({ ext_id: extId, desc: description })),
    created_at: product.createdAt,
  };
}
