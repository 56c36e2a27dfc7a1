import { answer, api } from "../../ui/api/client.ts";
import { at } from "../../ui/base.ts";
import { ask } from "../../ui/feedback/dialog.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { forget, session } from "../session/session.ts";

/** Lets the promoter leave the program. */
export function Leave() {
  const company = session.value?.account.name ?? "the company";
  const leave = async () => {
    const title = "Leave the program";
    const text = `Your links and codes no longer count, and you can't sign in any more. What you have earned is still paid. Only ${company} can take you back.`;
    if (!(await ask({ title, text, action: title, isDanger: true }))) return;
    await tell(async () => {
      const { message } = await answer(api.POST("/api/v2/affiliate/promoters/archive"));
      forget();
      location.assign(at("/portal"));
      return message;
    });
  };
  return (
    <section class="card narrow stack" aria-label="Leave the program">
      <p>You no longer want to promote {company}?</p>
      <div>
        <button class="button danger" onClick={() => void leave()}>
          Leave the program
        </button>
      </div>
    </section>
  );
}
