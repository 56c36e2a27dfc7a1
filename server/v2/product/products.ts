import { z } from "zod";
import { refuseUsedProduct } from "../../domain/ledger/use.ts";
import {
  createProduct,
  deleteProduct,
  findProducts,
  loadProduct,
  updateProduct,
  type Price,
  type Product,
} from "../../domain/program/product.ts";
import { text, word } from "../../input/fields.ts";
import { readJson } from "../../http/parameters/json.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { shapeChanges, shapeInput } from "../../input/shape.ts";
import { recordError, type V2Operation, type V2Request } from "../operation.ts";
import { pageParams, readListing, readPathId } from "../params.ts";
import { createdAt, field, recordId, message } from "../../http/fields.ts";

const MAX_PRICES = 100;

/** A product of V2. */
const productAnswer = z
  .object({
    id: recordId,
    name: field(z.string(), "Name of the product.", "Pro plan"),
    ext_id: field(
      z.string().nullable(),
      "Id of the product at the payment processor, or null if it has none.",
      "prod_pro",
    ),
    prices: field(
      z.array(
        z.object({
          ext_id: field(
            z.string(),
            "Id of the price at the payment processor. Sales name it as `plan`.",
            "price_pro_monthly",
          ),
          desc: field(z.string().nullable(), "Description of the price.", "Monthly"),
        }),
      ),
      "The prices, or plans, that the product is sold at.",
    ),
    created_at: createdAt,
  })
  .meta({ id: "Product" });

const price = z
  .object(
    {
      ext_id: field(
        word(255).min(1, "can't be blank"),
        "Id of the price at the payment processor. Sales name it as `plan`.",
        "price_pro_monthly",
      ),
      desc: field(text.nullish(), "Description of the price.", "Monthly"),
    },
    "is invalid",
  )
  .transform(({ ext_id, desc }): Price => ({ ext_id, description: desc ?? null }));

/** A product may have no prices yet. Then no sale belongs to it. */
const prices = z.array(price, "is invalid").max(MAX_PRICES, `is too long (maximum is ${MAX_PRICES} entries)`);

const listParams = pageParams.extend({
  q: field(text.optional(), "Text to search for in names and ids at the payment processor.", "pro"),
});
const createBody = z.object({
  name: field(text.trim(), "Name of the product.", "Pro plan"),
  ext_id: field(word(255).optional(), "Id of the product at the payment processor.", "prod_pro"),
  prices: field(prices, productAnswer.shape.prices),
});
/** `prices` may be left out like every other field; they stay then. */
const updateBody = z
  .object({
    name: field(text.trim(), "Name of the product.", "Pro plan"),
    ext_id: field(word(255).nullable(), productAnswer.shape.ext_id),
    prices: field(prices, productAnswer.shape.prices),
  })
  .partial();

const shape = recordError();

/** `GET /api/v2/company/products` */
export const listProductsOperation: V2Operation = {
  id: "listProducts",
  summary: "List products",
  description: "Lists products: all, or those that `q` finds.",
  params: listParams,
  answer: z.array(productAnswer),
  isPaged: true,
  refusals: ["invalid"],
  handle: list,
};

/** `POST /api/v2/company/products` */
export const createProductOperation: V2Operation = {
  id: "createProduct",
  summary: "Create a product",
  description:
    "Adds a product with its prices. Sales that name one of the prices as their `plan` are of this product.",
  example: {
    name: "Pro plan",
    ext_id: "prod_pro",
    prices: [{ ext_id: "price_pro_monthly", desc: "Monthly" }],
  },
  body: createBody,
  answer: productAnswer,
  status: 201,
  refusals: ["invalid", "taken", "rule_broken"],
  shape,
  handle: create,
};

/** `GET /api/v2/company/products/{id}` */
export const getProductOperation: V2Operation = {
  id: "getProduct",
  summary: "Get a product",
  description: "Finds one product.",
  answer: productAnswer,
  refusals: ["not_found"],
  handle: get,
};

/** `PUT` and `PATCH /api/v2/company/products/{id}` */
export const updateProductOperation: V2Operation = {
  id: "updateProduct",
  summary: "Update a product",
  description: "Changes a product. What you leave out stays.",
  example: { name: "Pro plan" },
  body: updateBody,
  answer: productAnswer,
  refusals: ["not_found", "invalid", "taken", "rule_broken"],
  shape,
  handle: update,
};

/** `DELETE /api/v2/company/products/{id}` */
export const deleteProductOperation: V2Operation = {
  id: "deleteProduct",
  summary: "Delete a product that nothing refers to",
  description: "Removes a product that no reward is for and that was never sold.",
  answer: z.object({
    message,
  }),
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
  return productJson(await createProduct(context, account.id, { name, ext_id: ext_id ?? null, prices }));
}

async function get({ event, account, context: { store } }: V2Request) {
  return productJson(await loadProduct(store, account.id, readPathId(event)));
}

async function update({ event, account, context }: V2Request) {
  const id = readPathId(event);
  const { name, ext_id, prices } = shapeChanges(updateBody, await readJson(event));
  return productJson(await updateProduct(context, account.id, { id, changes: { name, ext_id, prices } }));
}

async function remove({ event, account, context }: V2Request) {
  await deleteProduct(context, account.id, { id: readPathId(event), refuseUsed: refuseUsedProduct });
  return { message: "Product deleted successfully" };
}

function productJson(product: Product): z.output<typeof productAnswer> {
  return {
    id: product.id,
    name: product.name,
    ext_id: product.ext_id,
    prices: product.prices.map(({ ext_id, description }) => ({ ext_id, desc: description })),
    created_at: product.created_at,
  };
}
