import { z } from "zod";
import {
  ASSET_TYPES,
  assets,
  changeCategories,
  createAsset,
  deleteAsset,
  listCategories,
  loadAsset,
  loadAssetClicks,
  moveAsset,
  updateAsset,
  type Asset,
  type AssetInput,
} from "../../domain/people/asset.ts";
import { runBatch } from "../../domain/batch.ts";
import { isForCampaigns } from "../../domain/program/campaign/campaign.ts";
import { field } from "../../http/fields.ts";
import { readJson } from "../../http/parameters/json.ts";
import { readUpload } from "../../http/parameters/upload.ts";
import {
  flag,
  id,
  listOf,
  longText,
  oneOf,
  splitList,
  text,
  webAddress,
  wholeNumber,
  word,
} from "../../input/fields.ts";
import { shapeChanges, shapeInput } from "../../input/shape.ts";
import { MAX_UPLOAD_BYTES } from "../../outgoing/uploads.ts";
import { BATCH, batchAnswer, batchOperation, idsBody } from "../batch/batch-processes.ts";
import { recordError, type V2Operation, type V2Request, type V2Row } from "../operation.ts";
import { listed } from "../../resource/list.ts";
import { readPathId, period } from "../../resource/listing.ts";
import { contains } from "../../storage/query.ts";
import type { View } from "../../storage/store.ts";
import { assetAnswer, assetParts, categoryAnswer } from "./asset-json.ts";

const NAME_LENGTH = 255;
const MOST_CHANGES = 100;

const assetList = listed(assets, { isNewestFirst: true })({
  params: {
    q: [
      field(text.optional(), "Text to search for in names.", "spring"),
      (wanted) => contains("assets.folded_name", wanted.trim()),
    ],
  },
  filters: {
    asset_type: [field(listOf(oneOf(ASSET_TYPES)), "Only assets of this type."), "type"],
    category_id: field(listOf(id), "Only assets of this category.", [3]),
    campaign_id: [
      field(listOf(id), "Only assets that promoters of this campaign see.", [1]),
      (wanted) => isForCampaigns("assets.campaign_list", wanted),
    ],
    created_at: field(period, "Only assets that were made in this time."),
  },
});

const campaignIds = z.preprocess(
  (value) => splitList(value ?? []),
  z.array(id, "is invalid").transform((given) => [...new Set(given)]),
);

const {
  schema,
  schema: { shape: shown },
} = assetAnswer;
const file = field(
  z.string().optional(),
  "The file: a part of a multipart form, or its bytes in base64 in JSON. An image (PNG, JPEG, GIF, WebP), a PDF or a ZIP file of at most 20 MiB.",
  "data:image/png;base64,iVBORw0KGgo=",
);
const createBody = z.object({
  name: field(word(NAME_LENGTH).min(1, "can't be blank"), shown.name),
  asset_type: field(oneOf(ASSET_TYPES), shown.asset_type),
  file,
  url: field(
    webAddress.optional(),
    "The address of a file on another server, or the page of a link.",
    "https://www.example.com/spring",
  ),
  category_id: field(id.optional(), "Id of the category.", 3),
  allowed_campaign_ids: field(campaignIds.optional(), shown.allowed_campaign_ids),
  content: field(longText.optional(), shown.content),
  landing_page_url: field(webAddress.optional(), shown.landing_page_url),
});
const updateBody = z
  .object({
    name: field(word(NAME_LENGTH).min(1, "can't be blank"), shown.name),
    asset_type: field(oneOf(ASSET_TYPES), shown.asset_type),
    file,
    url: field(webAddress.nullable(), createBody.shape.url),
    category_id: field(id.nullable(), createBody.shape.category_id),
    allowed_campaign_ids: field(campaignIds, shown.allowed_campaign_ids),
    content: field(longText.nullable(), shown.content),
    landing_page_url: field(webAddress.nullable(), shown.landing_page_url),
  })
  .partial();

const categoriesBody = z.object({
  asset_categories: field(
    z
      .array(
        z.object(
          {
            id: field(id.optional(), "Id of the category. Leave it out to add one.", 3),
            name: field(word(NAME_LENGTH).min(1, "can't be blank"), categoryAnswer.schema.shape.name),
            position: field(wholeNumber(0, 9_999), categoryAnswer.schema.shape.position),
            _destroy: field(flag.optional(), "Whether to remove it. Its assets stay, without a category."),
          },
          "is invalid",
        ),
        "is invalid",
      )
      .max(MOST_CHANGES, `is too long (maximum is ${MOST_CHANGES} entries)`),
    "Categories to make, change or remove. The others stay.",
  ),
});
const moveBody = idsBody.extend({ category_id: field(id, "Id of the category.", 3) });

const shape = recordError({ campaign_ids: "allowed_campaign_ids", category_id: "category_id" });

const listCategoriesOperation: V2Operation = {
  id: "listAssetCategories",
  summary: "List asset categories",
  description: "Lists the headings that assets are listed under, in order.",
  answer: z.array(categoryAnswer.schema),
  handle: async ({ account, context: { store } }) =>
    categoryAnswer.showAll(store, await listCategories(store, account.id)),
};

const changeCategoriesOperation: V2Operation = {
  id: "updateAssetCategories",
  summary: "Make, change and remove asset categories",
  description: "Changes the headings that assets are listed under. Those that you leave out stay.",
  example: { asset_categories: [{ name: "Banners", position: 1 }] },
  body: categoriesBody,
  answer: z.array(categoryAnswer.schema),
  refusals: ["not_found", "invalid"],
  async handle({ event, account, context }) {
    const { asset_categories: given } = shapeInput(categoriesBody, await readJson(event));
    const changes = given.map(({ id: known = null, name, position, _destroy: isRemoved = false }) => ({
      id: known,
      name,
      position,
      isRemoved,
    }));
    return context.store.transact(async (tx) =>
      categoryAnswer.showAll(tx.view, await changeCategories(tx, context, account.id, changes)),
    );
  },
};

const listAssetsOperation: V2Operation = {
  id: "listAssets",
  summary: "List assets, newest first",
  description: "Lists what promoters can use: banners, documents, links and texts.",
  params: assetList.params,
  answer: z.array(schema),
  isPaged: true,
  refusals: ["invalid"],
  handle: async (request) => showAssets(request, request.context.store, await assetList.read(request)),
};

const createAssetOperation: V2Operation = {
  id: "createAsset",
  summary: "Make an asset",
  description:
    "Makes an asset for promoters. Send the file as a part of a multipart form, or in base64. Its format is found in its bytes.",
  example: { name: "Spring", asset_type: "text", content: "Try Acme: {{ref_link}}" },
  body: createBody,
  answer: schema,
  refusals: ["invalid", "too_large"],
  shape,
  async handle(request) {
    const { event, account, context, uploads } = request;
    const { values, file: bytes } = await readUpload(event, MAX_UPLOAD_BYTES);
    const body = shapeInput(createBody, values);
    const kept = bytes && (await uploads.keep(bytes));
    const input: AssetInput = {
      name: body.name,
      type: body.asset_type,
      file: kept,
      url: kept === null ? (body.url ?? null) : null,
      category_id: body.category_id ?? null,
      campaign_ids: body.allowed_campaign_ids ?? [],
      content: body.content ?? null,
      landing_page_url: body.landing_page_url ?? null,
    };
    return orRemove(request, kept, () =>
      context.store.transact(async (tx) =>
        showAsset(request, tx.view, await createAsset(tx, context, account.id, input)),
      ),
    );
  },
};

const getAssetOperation: V2Operation = {
  id: "getAsset",
  summary: "Get an asset",
  description: "Finds one asset.",
  answer: schema,
  refusals: ["not_found"],
  async handle(request) {
    const { event, account, context } = request;
    return showAsset(request, context.store, await loadAsset(context.store, account.id, readPathId(event)));
  },
};

const updateAssetOperation: V2Operation = {
  id: "updateAsset",
  summary: "Update an asset",
  description: "Changes an asset. What you leave out stays. A new file has a new address.",
  example: { name: "Spring banner" },
  body: updateBody,
  answer: schema,
  refusals: ["not_found", "invalid", "too_large"],
  shape,
  async handle(request) {
    const { event, account, context, uploads } = request;
    const wanted = readPathId(event);
    const { values, file: bytes } = await readUpload(event, MAX_UPLOAD_BYTES);
    const body = shapeChanges(updateBody, values);
    const kept = bytes && (await uploads.keep(bytes));
    const changes = {
      name: body.name,
      type: body.asset_type,
      file: kept ?? undefined,
      url: body.url,
      category_id: body.category_id,
      campaign_ids: body.allowed_campaign_ids,
      content: body.content,
      landing_page_url: body.landing_page_url,
    };
    const { before, after, answer } = await orRemove(request, kept, () =>
      context.store.transact(async (tx) => {
        const updated = await updateAsset(tx, account.id, { id: wanted, changes });
        return { ...updated, answer: await showAsset(request, tx.view, updated.after) };
      }),
    );
    if (before.file !== null && before.file.name !== after.file?.name) await uploads.remove(before.file.name);
    return answer;
  },
};

const moveAssetsOperation: V2Operation = {
  id: "updateAssetCategory",
  summary: "Move assets to a category",
  description: `Moves assets to a category. ${BATCH}`,
  body: moveBody,
  answer: batchAnswer.schema,
  refusals: ["invalid"],
  async handle({ event, account, context }) {
    const { ids, category_id } = shapeInput(moveBody, await readJson(event));
    const label = "asset/update_category";
    const work = (each: number) =>
      context.store.transact((tx) => moveAsset(tx, account.id, { id: each, category_id }));
    return batchAnswer.json(await runBatch(context, account.id, { label, ids, work }));
  },
};

const deleteAssetsOperation = batchOperation(
  { id: "deleteAssets", summary: "Delete assets", description: "Deletes assets with their files." },
  ({ account, context, uploads }, ids) => {
    const work = async (each: number) => {
      // The file first, because what fails can then be repeated.
      const { file } = await loadAsset(context.store, account.id, each);
      if (file !== null) await uploads.remove(file.name);
      await context.store.transact((tx) => deleteAsset(tx, account.id, each));
    };
    return runBatch(context, account.id, { label: "asset/destroy", ids, work });
  },
);

/** The paths are below `/api/v2/company`. */
export const ASSET_OPERATIONS: V2Row[] = [
  ["GET", "/assets/categories", listCategoriesOperation],
  ["PUT", "/assets/categories", changeCategoriesOperation],
  ["PUT", "/assets/update_category", moveAssetsOperation],
  ["DELETE", "/assets/destroy", deleteAssetsOperation],
  ["GET", "/assets", listAssetsOperation],
  ["POST", "/assets", createAssetOperation],
  ["GET", "/assets/:id", getAssetOperation],
  ["PUT", "/assets/:id", updateAssetOperation],
  ["PATCH", "/assets/:id", updateAssetOperation],
];

/** Removes the stored file if the asset is refused. */
async function orRemove<T>(
  { uploads }: V2Request,
  kept: { name: string } | null,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (kept !== null) await uploads.remove(kept.name);
    throw error;
  }
}

async function showAsset(
  request: V2Request,
  view: View,
  asset: Asset,
): Promise<z.output<typeof schema> | undefined> {
  return (await showAssets(request, view, [asset]))[0];
}

async function showAssets({ account, public_url }: V2Request, view: View, found: Asset[]) {
  const [parts, clicks] = await Promise.all([
    assetParts(view, account.id),
    loadAssetClicks(view, account.id, found),
  ]);
  return found.map((asset) => assetAnswer.json(asset, { ...parts, clicks, public_url }));
}
