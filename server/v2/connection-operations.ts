import {
  connectBillingOperation,
  disconnectBillingOperation,
  listBillingOperation,
  listProvidersOperation,
} from "./billing/billing.ts";
import { listBillingEventsOperation, testBillingOperation } from "./billing/billing-events.ts";
import { syncBillingOperation } from "./billing/billing-sync.ts";
import { showMailOperation, testMailOperation } from "./mail/mail.ts";
import type { V2Row } from "./operation.ts";
import {
  connectPaymentsOperation,
  disconnectPaymentsOperation,
  listPaymentConnectionsOperation,
  setFeeRuleOperation,
} from "./payment/payment-connections.ts";
import { listRatesOperation, storeRatesOperation } from "./rate/rates.ts";
import { dropWaitingOperation, listWaitingOperation } from "./waiting/waiting-events.ts";
import {
  getDeliveryOperation,
  listDeliveriesOperation,
  retryDeliveryOperation,
} from "./webhook/webhook-deliveries.ts";
import { sendTestOperation, testWebhookOperation } from "./webhook/webhook-test.ts";
import {
  createWebhookOperation,
  deleteWebhookOperation,
  getWebhookOperation,
  listEventTypesOperation,
  listWebhooksOperation,
  rotateSecretOperation,
  updateWebhookOperation,
} from "./webhook/webhooks.ts";

/** The operations that connect an account with other systems. The paths are below `/api/v2/company`. */
export const CONNECTION_OPERATIONS: V2Row[] = [
  ["GET", "/billing", listBillingOperation],
  ["POST", "/billing", connectBillingOperation, "owner"],
  ["DELETE", "/billing", disconnectBillingOperation, "owner"],
  ["GET", "/billing/events", listBillingEventsOperation],
  ["GET", "/billing/providers", listProvidersOperation],
  ["POST", "/billing/test", testBillingOperation, "owner"],
  ["POST", "/billing/sync", syncBillingOperation, "owner"],
  ["GET", "/mail", showMailOperation],
  ["POST", "/mail/test", testMailOperation],
  ["GET", "/payment_connections", listPaymentConnectionsOperation],
  ["POST", "/payment_connections", connectPaymentsOperation, "owner"],
  ["PUT", "/payment_connections", setFeeRuleOperation, "owner"],
  ["DELETE", "/payment_connections", disconnectPaymentsOperation, "owner"],
  ["GET", "/rates", listRatesOperation],
  ["POST", "/rates", storeRatesOperation],
  ["GET", "/waiting_events", listWaitingOperation],
  ["DELETE", "/waiting_events/:id", dropWaitingOperation],
  ["GET", "/webhooks", listWebhooksOperation],
  ["POST", "/webhooks", createWebhookOperation],
  ["GET", "/webhooks/event_types", listEventTypesOperation],
  ["POST", "/webhooks/test", testWebhookOperation],
  ["GET", "/webhooks/:id", getWebhookOperation],
  ["PUT", "/webhooks/:id", updateWebhookOperation],
  ["PATCH", "/webhooks/:id", updateWebhookOperation],
  ["DELETE", "/webhooks/:id", deleteWebhookOperation],
  ["POST", "/webhooks/:id/rotate_secret", rotateSecretOperation],
  ["POST", "/webhooks/:id/test", sendTestOperation],
  ["GET", "/webhooks/:webhook_id/webhook_deliveries", listDeliveriesOperation],
  ["GET", "/webhooks/:webhook_id/webhook_deliveries/:id", getDeliveryOperation],
  ["POST", "/webhooks/:webhook_id/webhook_deliveries/:id/retry_delivery", retryDeliveryOperation],
];
