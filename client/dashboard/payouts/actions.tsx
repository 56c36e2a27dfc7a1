import { answer, api } from "../../ui/api/client.ts";
import { runBatch } from "../../ui/batch/batch.ts";
import { ask } from "../../ui/feedback/dialog.tsx";
import { several } from "../../ui/format.ts";
import type { Choice } from "../../ui/table/choice.ts";
import { Chosen } from "../../ui/table/chosen.tsx";
import { may, type Role } from "../session/session.ts";

interface Action {
  button: string;
  /** `Mark 3 payouts as paid`. */
  title: (what: string) => string;
  doing: (what: string) => string;
  done: (what: string) => string;
  effect: string;
  isDanger: boolean;
  /** The required role. */
  role: Role;
  send: (ids: number[]) => Promise<{ data: { processing_errors: { id: number; message: string }[] } }>;
}

const ACTIONS: Action[] = [
  {
    button: "Mark as paid",
    title: (what) => `Mark ${what} as paid`,
    doing: (what) => `Marking ${what} as paid`,
    done: (what) => `${what} marked as paid`,
    effect: "Do this when you have sent the money. The promoters see the payouts as paid.",
    isDanger: false,
    role: "owner",
    send: (ids) => answer(api.POST("/api/v2/company/payouts/mark_as_paid", { body: { ids } })),
  },
  {
    button: "Mark as unpaid",
    title: (what) => `Mark ${what} as unpaid`,
    doing: (what) => `Marking ${what} as unpaid`,
    done: (what) => `${what} marked as unpaid`,
    effect: "Do this when the money came back. The payouts wait to be paid again.",
    isDanger: true,
    role: "owner",
    send: (ids) => answer(api.POST("/api/v2/company/payouts/mark_as_unpaid", { body: { ids } })),
  },
  {
    button: "Remove",
    title: (what) => `Remove ${what}`,
    doing: (what) => `Removing ${what}`,
    done: (what) => `${what} removed`,
    effect:
      "Payouts that moved no money are removed. Their commissions wait for the next run. Delete a batch before you remove its payouts.",
    isDanger: true,
    role: "owner",
    send: (ids) => answer(api.DELETE("/api/v2/company/payouts/destroy", { body: { ids } })),
  },
];

/** What can be done with the chosen payouts. */
export function PayoutActions({
  choice,
  one,
  reload,
}: {
  choice: Choice;
  /** What a row is: a payout, or a promoter with several payouts. */
  one: string;
  reload: () => Promise<void>;
}) {
  const act = async ({ title, doing, done, effect, isDanger, send }: Action) => {
    const records = await choice.records();
    if (records === null) return;
    const what = several(records.count, "payout");
    const isMeant = await ask({ title: `${title(what)}?`, text: effect, action: title(what), isDanger });
    if (!isMeant) return;
    choice.chooseOnly([]);
    await runBatch({
      title: doing(what),
      done: (count) => done(several(count, "payout")),
      records,
      send: async (part) => {
        const { processing_errors: refused } = (await send(part)).data;
        return { processing_errors: refused.map(({ id, message }) => `${id}: ${message}`) };
      },
      reload,
    });
  };
  return (
    <Chosen choice={choice} one={one}>
      {ACTIONS.filter(({ role }) => may(role)).map((action) => (
        <button key={action.button} class="button little" onClick={() => void act(action)}>
          {action.button}
        </button>
      ))}
    </Chosen>
  );
}
