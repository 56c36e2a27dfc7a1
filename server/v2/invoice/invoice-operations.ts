import type { V2Row } from "../operation.ts";
import { exportInvoicesOperation, exportZipOperation, invoicesZipOperation } from "./invoice-exports.ts";
import {
  createInvoicesOperation,
  destroyInvoicesOperation,
  finalizeInvoicesOperation,
  invoicePdfOperation,
  listInvoicesOperation,
  showInvoiceOperation,
  voidInvoicesOperation,
} from "./invoices.ts";
import {
  customTemplateOperation,
  previewInvoiceOperation,
  previewTemplateOperation,
  showInvoicingOperation,
  showTemplateOperation,
  updateInvoicingOperation,
} from "./invoicing.ts";
import { exportIrisOperation, exportTaxFormsOperation } from "./tax-forms.ts";

/** The operations for invoices and tax forms. The paths are below `/api/v2/company`. Only owners change what tax offices see. */
export const INVOICE_OPERATIONS: V2Row[] = [
  ["GET", "/invoices", listInvoicesOperation],
  ["POST", "/invoices", createInvoicesOperation, "owner"],
  ["POST", "/invoices/void", voidInvoicesOperation, "owner"],
  ["POST", "/invoices/finalize", finalizeInvoicesOperation, "owner"],
  ["DELETE", "/invoices/destroy", destroyInvoicesOperation, "owner"],
  ["GET", "/invoices/export", exportInvoicesOperation, "manager"],
  ["GET", "/invoices/export_zip", exportZipOperation, "manager"],
  ["GET", "/invoices/zip", invoicesZipOperation, "manager"],
  ["GET", "/invoices/template", showTemplateOperation],
  ["POST", "/invoices/preview_template", previewTemplateOperation, "viewer"],
  ["PUT", "/invoices/custom_template", customTemplateOperation, "owner"],
  ["GET", "/invoices/preview", previewInvoiceOperation],
  ["GET", "/invoices/:id", showInvoiceOperation],
  ["GET", "/invoices/:id/pdf", invoicePdfOperation],
  ["GET", "/tax_forms/export", exportTaxFormsOperation, "owner"],
  ["GET", "/tax_forms/iris", exportIrisOperation, "owner"],
  ["GET", "/invoicing", showInvoicingOperation],
  ["PUT", "/invoicing", updateInvoicingOperation, "owner"],
];
