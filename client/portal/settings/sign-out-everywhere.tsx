import { t } from "../../languages/messages.ts";
import { answer, api } from "../../ui/api/client.ts";
import { at } from "../../ui/base.ts";
import { tell } from "../../ui/feedback/tell.ts";
import { forget } from "../session/session.ts";

/** Ends all sessions of the promoter, for those who fear that someone else is signed in. */
export function SignOutEverywhere() {
  const action = t("sign_out.everywhere");
  const leave = () =>
    tell(async () => {
      await answer(api.DELETE("/api/v2/affiliate/sessions"));
      forget();
      // No data of the promoter may stay in memory.
      location.assign(at("/portal"));
      return action;
    });
  return (
    <section class="card narrow stack" aria-label={action}>
      <p>{t("sign_out.everywhere.text")}</p>
      <div>
        <button class="button" onClick={() => void leave()}>
          {action}
        </button>
      </div>
    </section>
  );
}
