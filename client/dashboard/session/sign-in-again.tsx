import { sessionEnd } from "../../ui/api/session-end.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { begin, session, type Session } from "./session.ts";
import { SignInForm } from "./sign-in-form.tsx";

/** A dialog to sign in again when the session has ended. Forms of the page keep their text. */
export function SignInAgain() {
  const ended = sessionEnd.waiting.value;
  if (ended === null) return null;
  const before = session.value?.user;
  const go = (begun: Session) => {
    // The page shows another user's data then.
    if (begun.user.id !== before?.id) return location.reload();
    begin(begun);
    ended.settle(true);
  };
  return (
    <Dialog title="Sign in again" onClose={() => ended.settle(false)}>
      <div class="stack">
        <p class="soft">Your session has ended. Sign in to continue.</p>
        <SignInForm email={before?.email ?? ""} onSignedIn={go} />
      </div>
    </Dialog>
  );
}
