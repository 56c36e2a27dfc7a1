import { expect, it } from "vitest";
import { accounts } from "../../server/domain/account/account.ts";
import { commissions } from "../../server/domain/commission/commission.ts";
import { importCommission } from "../../server/domain/commission/import.ts";
import { SYSTEM } from "../../server/domain/account/record.ts";
import { v1 } from "../support/calls.ts";
import { findFaults } from "../support/consistency.ts";
import { racesAtEachCommit } from "../support/race.ts";
import { createV1Promoter } from "../support/v1-promoter.ts";

it("a commission that is imported while its lead moves follows the lead", async () => {
  const races = await racesAtEachCommit(async (app) => {
    const { context, accountId } = app;
    const account = (await context.store.get(accounts, SYSTEM, accountId))!;
    for (const ref_id of ["jane", "bob"])
      await createV1Promoter(app, { email: `${ref_id}@example.com`, ref_id });
    await v1(app, "POST", "/track/signup", { email: "lead@example.com", ref_id: "jane" });
    const commission = {
      sourceId: null,
      source: "1",
      refToken: null,
      promoterEmail: null,
      leadEmail: "lead@example.com",
      leadUid: null,
      unit: "cash",
      amount: 100,
      status: "approved",
      saleCents: 1_000,
      eventId: "sale-1",
      createdAt: null,
    } as const;
    return {
      call: () => v1(app, "PUT", "/leads/update", { email: "lead@example.com", new_ref_id: "bob" }),
      meanwhile: () => importCommission(context, account, commission),
      look: async ({ store, entries }) => {
        const found = await store.page(commissions, "id", accountId, [], { limit: 9 });
        return {
          owners: found.map(({ promoterId }) => promoterId),
          faults: await findFaults(await entries()),
        };
      },
    };
  });
  const raced = races.slice(0, -1).map(({ answer: { status }, seen }) => ({ status, seen }));
  expect(raced).toEqual([{ status: 200, seen: { owners: [2], faults: [] } }]);
});
