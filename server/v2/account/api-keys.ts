import { z } from "zod";
import {
  apiKeyId,
  apiKeys,
  listApiKeys,
  putApiKey,
  revokeApiKeyById,
} from "../../domain/program/account/api-key.ts";
import { readJson } from "../../http/parameters/json.ts";
import { word } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import type { V2Operation } from "../operation.ts";
import { shown } from "../../resource/answer.ts";
import { does } from "../../resource/operations.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";

const createBody = z.object({ name: field(word(100), "What the key is for.", "Shop") });

const apiKeyAnswer = shown(apiKeys)("ApiKey", {
  id: [recordId, apiKeyId],
  name: field(z.string(), "What the key is for.", "Shop"),
  created_at: createdAt,
  revoked_at: field(z.iso.datetime().nullable(), "When the key was revoked, or null if it works."),
});

const newApiKeyAnswer = apiKeyAnswer.schema
  .extend({
    key: field(z.string(), "The key. It is shown only once.", "tdm_q3kPz0Yc8Vw1Rb6Xn5Tj2Ms9Lf4Hd7Ga"),
  })
  .meta({ id: "NewApiKey" });

/** @see docs/spec/common.md "Pages" */
export const listApiKeysOperation: V2Operation = {
  id: "listApiKeys",
  summary: "List API keys, oldest first",
  description: "Lists the account's API keys, valid and revoked.",
  answer: z.array(apiKeyAnswer.schema),
  handle: async ({ account, context }) => {
    const keys = await listApiKeys(context.store, account.id);
    const sorted = keys.toSorted((a, b) => a.created_at.localeCompare(b.created_at));
    return apiKeyAnswer.showAll(context.store, sorted);
  },
};

/** Only this answer shows the key. */
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
    const { apiKey, key } = await context.store.transact((tx) =>
      putApiKey(tx, context, { owner_id: account.id, name }),
    );
    return { ...apiKeyAnswer.json(apiKey), key };
  },
};

export const revokeApiKeyOperation: V2Operation = does(apiKeyAnswer, {
  id: "revokeApiKey",
  summary: "Revoke an API key",
  description: "Revokes an API key. Requests with it are refused from then on.",
  refusals: ["not_found", "refused"],
  run: (tx, { account, context }, id) => revokeApiKeyById(tx, context, account.id, id),
});
