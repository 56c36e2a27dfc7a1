const RECORDS: Record<string, string> = {
  commission: "Commission",
  contract_document: "Contract",
  payments_batch: "Payments batch",
  payout: "Payout",
  payout_method: "Payout method",
  promo_code: "Promo code",
  promoter: "Promoter",
  promoter_campaign: "Promoter in a campaign",
  referral: "Lead",
};

const HAPPENED: Record<string, string> = {
  "balance.updated": "balance changed",
  "commissions.added": "commissions added",
  "commissions.removed": "commissions removed",
  converted: "became a customer",
  created: "added",
  inactive: "made inactive",
  initiated: "confirmed",
  pending: "waits",
  processing: "on its way",
  updated: "changed",
};

/** The name of an event: `referral.created` is `Lead: added`. Types of V1's form keep their names. */
export function eventWords(type: string): string {
  const [record = "", ...rest] = type.split(".");
  const happened = rest.join(".");
  if (happened === "") return sentence(record);
  return `${RECORDS[record] ?? sentence(record)}: ${HAPPENED[happened] ?? plain(happened)}`;
}

function sentence(name: string): string {
  const words = plain(name);
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

function plain(name: string): string {
  return name.replaceAll(/[._]/g, " ");
}
