import { t } from "../../languages/messages.ts";
import { answer, api } from "../../ui/api/client.ts";
import { at } from "../../ui/base.ts";
import { ask } from "../../ui/feedback/dialog.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { forget, session } from "../session/session.ts";

/** Lets the promoter leave the program. */
export function Leave() {
  const company = session.value?.account.name ?? "";
  const action = t("leave.action");
  const leave = async () => {
    if (!(await ask({ title: action, text: t("leave.text", { company }), action, isDanger: true }))) return;
    await tell(async () => {
      await answer(api.POST("/api/v2/affiliate/promoters/archive"));
      forget();
      // No data of the promoter may stay in memory.
      location.assign(at("/portal"));
      return action;
    });
  };
  return (
    <section class="card narrow stack" aria-label={action}>
      <p>{t("leave.question", { company })}</p>
      <div>
        <button class="button danger" onClick={() => void leave()}>
          {action}
        </button>
      </div>
    </section>
  );
}
