import { z } from "zod";
import { findChildren } from "../../../domain/people/promoter/creation.ts";
import type { Promoter } from "../../../domain/people/promoter/promoter.ts";
import { loadPromoterTotals } from "../../../domain/people/daily.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import type { View } from "../../../storage/store.ts";
import { pageParams, readListing } from "../../params.ts";
import { promoterAnswer, promoterStatsJson } from "../../promoter/promoter-json.ts";
import { maskedEmail } from "../referral/referrals.ts";
import type { AffiliateOperation } from "../operation.ts";
import { field, recordId } from "../../../http/fields.ts";

const answer = z
  .object({
    id: recordId,
    name: field(z.string().nullable(), "The first name, or null if it was not given.", "Alex"),
    email: field(z.string().nullable(), "The masked e-mail address.", "a***@example.com"),
    joined_at: field(z.iso.datetime(), "When the promoter joined."),
    stats: field(promoterAnswer.shape.stats, "Figures of the record."),
  })
  .meta({ id: "SubAffiliate" });

/** `GET /api/v2/affiliate/promoters/sub_affiliates` */
export const listSubAffiliatesOperation: AffiliateOperation = {
  id: "listSubAffiliates",
  summary: "List the promoters whom the promoter recruited, newest first",
  description: "Lists the promoters whom this one recruited, newest first. Addresses are masked.",
  params: pageParams,
  answer: z.array(answer),
  isPaged: true,
  async handle(request) {
    const { promoter, context } = request;
    const { store } = context;
    const { page, window } = readListing(request, pageParams);
    const found = await findChildren(store, promoter, window);
    setPageHeaders(request, page, found.total);
    return Promise.all(found.records.map((child) => show(store, child)));
  },
};

/** A parent sees the first name, a masked address and the figures that they earn from. */
async function show(view: View, child: Promoter): Promise<z.output<typeof answer>> {
  const stats = await loadPromoterTotals(view, child.accountId, child.id);
  return {
    id: child.id,
    name: child.profile.firstName,
    email: maskedEmail(child.email),
    joined_at: child.createdAt,
    stats: promoterStatsJson(stats),
  };
}
