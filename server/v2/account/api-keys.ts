import { z } from "zod";
import {
  apiKeyId,
  createApiKey,
  listApiKeys,
  revokeApiKeyById,
  type ApiKey,
} from "../../domain/program/account/api-key.ts";
import { readJson } from "../../http/parameters/json.ts";
import { word } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import type { V2Operation } from "../operation.ts";
import { readPathId } from "../../resource/listing.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";

const createBody = z.object({ name: field(word(100), "What the key is for.", "Shop") });

const apiKeyAnswer = z
  .object({
    id: recordId,
    name: field(z.string(), "What the key is for.", "Shop"),
    created_at: createdAt,
    revoked_at: field(z.iso.datetime().nullable(), "When the key was revoked, or null if it works."),
  })
  .meta({ id: "ApiKey" });

const newApiKeyAnswer = apiKeyAnswer
  .extend({
    key: field(z.string(), "The key. It is shown only once.", "tdm_q3kPz0Yc8Vw1Rb6Xn5Tj2Ms9Lf4Hd7Ga"),
  })
  .meta({ id: "NewApiKey" });

/** `GET /api/v2/company/api_keys` @see docs/spec/common.md "Pages" */
export const listApiKeysOperation: V2Operation = {
  id: "listApiKeys",
  summary: "List API keys, oldest first",
  description: "Lists the account's API keys, valid and revoked.",
  answer: z.array(apiKeyAnswer),
  handle: async ({ account, context }) => {
    const keys = await listApiKeys(context.store, account.id);
    return keys.toSorted((a, b) => a.created_at.localeCompare(b.created_at)).map(apiKeyJson);
  },
};

/** `POST /api/v2/company/api_keys`. Only this answer shows the key. */
export const createApiKeyOperation: V2Operation = {
  id: "createApiKey",
  summary: "Create an API key",
  description: "Makes an API key. Only this answer shows it.",
  body: createBody,
  answer: newApiKeyAnswer,
  status: 201,
  refusals: ["invalid"],
  handle: async ({ event, account, context }) => {
    const { name } = shapeInput(createBody, await readJson(event));
    const { apiKey, key } = await createApiKey(context, account.id, name);
    return { ...apiKeyJson(apiKey), key };
  },
};

/** `DELETE /api/v2/company/api_keys/{id}`. Answers with the revoked key. */
export const revokeApiKeyOperation: V2Operation = {
  id: "revokeApiKey",
  summary: "Revoke an API key",
  description: "Revokes an API key. Requests with it are refused from then on.",
  answer: apiKeyAnswer,
  refusals: ["not_found", "refused"],
  handle: async ({ event, account, context }) =>
    apiKeyJson(await revokeApiKeyById(context, account.id, readPathId(event))),
};

function apiKeyJson(apiKey: ApiKey): z.output<typeof apiKeyAnswer> {
  return {
    id: apiKeyId(apiKey),
    name: apiKey.name,
    created_at: apiKey.created_at,
    revoked_at: apiKey.revoked_at,
  };
}
