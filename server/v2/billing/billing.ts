import { z } from "zod";
import {
  BILLING_PROVIDERS,
  connectBilling,
  disconnectBilling,
  listConnections,
  type BillingConnection,
} from "../../domain/billing/connection.ts";
import { countWaiting } from "../../domain/billing/waiting.ts";
import { readJson } from "../../http/parameters/json.ts";
import { readNestedQuery } from "../../http/parameters/form.ts";
import { oneOf, text } from "../../input/fields.ts";
import { shapeChanges, shapeInput } from "../../input/shape.ts";
import type { V2Operation, V2Request } from "../operation.ts";

/** A secret that was copied with a blank in it would fail at each event. */
const secretText = text.trim().regex(/^[\x21-\x7e]+$/, "is invalid");

const connectBody = z.object({
  provider: oneOf(BILLING_PROVIDERS),
  secret: secretText,
  api_key: secretText.nullable().optional(),
});

const connectionAnswer = z
  .object({
    provider: z.enum(BILLING_PROVIDERS),
    endpoint: z.url(),
    has_api_key: z.boolean(),
    refunds_waiting: z.int(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "BillingConnection" });

const disconnectParams = z.object({ provider: oneOf(BILLING_PROVIDERS) });

/** `GET /api/v2/company/billing`. Choice: our addition. */
export const listBillingOperation: V2Operation = {
  summary: "List the connections with billing providers",
  answer: z.array(connectionAnswer),
  handle: async (request) => {
    const connections = await listConnections(request.context.store, request.account.id);
    return Promise.all(connections.map((connection) => connectionJson(request, connection)));
  },
};

/** `POST /api/v2/company/billing`. Choice: our addition. No answer shows the secrets. */
export const connectBillingOperation: V2Operation = {
  summary: "Connect the account with a billing provider",
  body: connectBody,
  answer: connectionAnswer,
  refusals: ["invalid"],
  handle: async (request) => {
    const { event, account, context } = request;
    const { provider, secret, api_key: apiKey } = shapeChanges(connectBody, await readJson(event));
    const connection = await connectBilling(context, account.id, { provider, secret, apiKey });
    return connectionJson(request, connection);
  },
};

/** `DELETE /api/v2/company/billing`. Choice: our addition. */
export const disconnectBillingOperation: V2Operation = {
  summary: "End the connection with a billing provider",
  params: disconnectParams,
  answer: connectionAnswer,
  refusals: ["not_found", "invalid"],
  handle: async (request) => {
    const { event, account, context } = request;
    const { provider } = shapeInput(disconnectParams, readNestedQuery(event));
    return connectionJson(request, await disconnectBilling(context, account.id, provider));
  },
};

async function connectionJson(
  { account, context, publicUrl }: V2Request,
  { provider, apiKey, createdAt }: BillingConnection,
): Promise<z.output<typeof connectionAnswer>> {
  return {
    provider,
    endpoint: `${publicUrl}/hooks/${provider}/${account.publicId}`,
    has_api_key: apiKey !== null,
    refunds_waiting: await countWaiting(context.store, account.id, provider),
    created_at: createdAt,
  };
}
