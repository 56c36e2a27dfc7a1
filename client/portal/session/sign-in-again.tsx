import { sessionEnd } from "../../ui/api/session-end.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { begin, forget, hasToken, session, type Session } from "./session.ts";
import { SignInForm } from "./sign-in.tsx";
import { t } from "../../languages/messages.ts";

/** A dialog to sign in again when the session has ended. Forms of the page keep their text. */
export function SignInAgain() {
  const ended = sessionEnd.waiting.value;
  if (ended === null) return null;
  const before = session.value?.promoter;
  const go = async (begun: Session) => {
    forget();
    // The page shows another promoter's data then.
    if (begun.promoter.id !== before?.id) return location.reload();
    await begin(begun);
    ended.settle(true);
  };
  return (
    <Dialog title={t("sign_in.again")} onClose={() => ended.settle(false)}>
      <div class="stack">
        <p class="soft">{t(hasToken() ? "sign_in.again.view" : "sign_in.again.text")}</p>
        <SignInForm email={before?.email ?? ""} onSignedIn={go} />
      </div>
    </Dialog>
  );
}
