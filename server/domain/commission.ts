import type { Commission } from "../records.ts";
import { collection } from "../storage/collection.ts";
import { SCOPE_GROUPS, SCOPE_INDEXES, scopeTallies } from "./scoped.ts";

export const commissions = collection<Commission>()({
  name: "commission",
  id: (commission) => [commission.id],
  claims: {},
  indexes: {
    ...SCOPE_INDEXES,
    lead: ({ leadId }) => (leadId === null ? null : [leadId]),
  },
  tallies: scopeTallies,
  groups: SCOPE_GROUPS,
});
