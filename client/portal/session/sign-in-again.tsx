import { sessionEnd } from "../../ui/api/session-end.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { begin, forget, hasToken, session, type Session } from "./session.ts";
import { SignInForm } from "./sign-in.tsx";

/** A dialog to sign in again when the session has ended. Forms of the page keep their text. */
export function SignInAgain() {
  const ended = sessionEnd.waiting.value;
  if (ended === null) return null;
  const before = session.value?.promoter;
  const go = (begun: Session) => {
    forget();
    // The page shows another promoter's data then.
    if (begun.promoter.id !== before?.id) return location.reload();
    begin(begun);
    ended.settle(true);
  };
  return (
    <Dialog title="Sign in again" onClose={() => ended.settle(false)}>
      <div class="stack">
        <p class="soft">
          {hasToken()
            ? "This view has ended. Open the portal again from the page before, or sign in."
            : "Your session has ended. Sign in to continue."}
        </p>
        <SignInForm email={before?.email ?? ""} onSignedIn={go} />
      </div>
    </Dialog>
  );
}
