import { z } from "zod";
import { refuseUsedProduct } from "../../domain/ledger/use.ts";
import {
  createProduct,
  deleteProduct,
  loadProduct,
  products,
  updateProduct,
  type Price,
} from "../../domain/program/product.ts";
import { createdAt, field, message, recordId } from "../../http/fields.ts";
import { text, word } from "../../input/fields.ts";
import { listed } from "../../resource/list.ts";
import { readPathId } from "../../resource/listing.ts";
import { changes, lists, makes, reads } from "../../resource/operations.ts";
import { shown } from "../../resource/answer.ts";
import { contains } from "../../storage/query.ts";
import { recordError, type V2Row } from "../operation.ts";

const MAX_PRICES = 100;

const productAnswer = shown(products)("Product", {
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
});
const { shape } = productAnswer.schema;

const productList = listed(products)({
  params: {
    q: [
      field(text.optional(), "Text to search for in names and ids at the payment processor.", "pro"),
      (wanted) => contains("products.words", wanted.trim()),
    ],
  },
});

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
  .transform(({ ext_id, desc = null }): Price => ({ ext_id, desc }));

/** A product may have no prices yet. Then no sale belongs to it. */
const prices = z.array(price, "is invalid").max(MAX_PRICES, `is too long (maximum is ${MAX_PRICES} entries)`);

const createBody = z.object({
  name: field(text.trim(), shape.name),
  ext_id: field(word(255).optional(), "Id of the product at the payment processor.", "prod_pro"),
  prices: field(prices, shape.prices),
});
/** `prices` may be left out like every other field; they stay then. */
const updateBody = z
  .object({
    name: field(text.trim(), shape.name),
    ext_id: field(word(255).nullable(), shape.ext_id),
    prices: field(prices, shape.prices),
  })
  .partial();

const update = changes(productAnswer, {
  id: "updateProduct",
  summary: "Update a product",
  description: "Changes a product. What you leave out stays.",
  example: { name: "Pro plan" },
  body: updateBody,
  refusals: ["not_found", "invalid", "taken", "rule_broken"],
  shape: recordError(),
  run: (tx, { account }, given) => updateProduct(tx, account.id, given),
});

/** The paths are below `/api/v2/company`. */
export const PRODUCT_OPERATIONS: V2Row[] = [
  [
    "GET",
    "/products",
    lists(productAnswer, {
      id: "listProducts",
      summary: "List products",
      description: "Lists products: all, or those that `q` finds.",
      list: productList,
    }),
  ],
  [
    "POST",
    "/products",
    makes(productAnswer, {
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
      refusals: ["invalid", "taken", "rule_broken"],
      shape: recordError(),
      run: (tx, { account, context }, { ext_id = null, ...body }) =>
        createProduct(tx, context, account.id, { ...body, ext_id }),
    }),
  ],
  [
    "GET",
    "/products/:id",
    reads(productAnswer, {
      id: "getProduct",
      summary: "Get a product",
      description: "Finds one product.",
      load: loadProduct,
    }),
  ],
  ["PUT", "/products/:id", update],
  ["PATCH", "/products/:id", update],
  [
    "DELETE",
    "/products/:id",
    {
      id: "deleteProduct",
      summary: "Delete a product that nothing refers to",
      description: "Removes a product that no reward is for and that was never sold.",
      answer: z.object({ message }),
      refusals: ["not_found", "in_use"],
      async handle({ event, account, context }) {
        const removal = { id: readPathId(event), refuseUsed: refuseUsedProduct };
        await context.store.transact((tx) => deleteProduct(tx, account.id, removal));
        return { message: "Product deleted successfully" };
      },
    },
  ],
];
