import { z } from "zod";
import { findSetupSteps } from "../../domain/home/setup.ts";
import type { V2Operation, V2Request } from "../operation.ts";

/** `GET /api/v2/company/setup` */
export const setupOperation: V2Operation = {
  summary: "Show how far the account is set up",
  answer: z.object({
    has_customer: z.boolean(),
    steps: z
      .object({
        script: z.boolean(),
        landing_page: z.boolean(),
        promoter: z.boolean(),
        click: z.boolean(),
        referral: z.boolean(),
        sale: z.boolean(),
        webhook: z.boolean(),
        mail: z.boolean(),
      })
      .meta({ id: "SetupSteps" }),
  }),
  handle: showSetup,
};

async function showSetup({ account, context, publicUrl }: V2Request) {
  const { steps, hasCustomer } = await findSetupSteps(context.store, account, publicUrl);
  return {
    has_customer: hasCustomer,
    steps: {
      script: steps.script,
      landing_page: steps.landingPage,
      promoter: steps.promoter,
      click: steps.click,
      referral: steps.lead,
      sale: steps.sale,
      webhook: steps.webhook,
      mail: steps.mail,
    },
  };
}
