import { sessionEnd } from "../../ui/api/session-end.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { begin, session, type Session } from "./session.ts";
import { SignInForm } from "./sign-in-form.tsx";

/** Asks for the password when the session has ended, over the page, whose form keeps its text. */
export function SignInAgain() {
  const ended = sessionEnd.waiting.value;
  if (ended === null) return null;
  const before = session.value?.user;
  const go = (begun: Session) => {
    // What the page shows belongs to somebody else then.
    if (begun.user.id !== before?.id) return location.reload();
    begin(begun);
    ended.settle(true);
  };
  return (
    <Dialog title="Sign in again" onClose={() => ended.settle(false)}>
      <div class="stack">
        <p class="soft">Your session has ended. Sign in, and what you were doing goes on.</p>
        <SignInForm email={before?.email ?? ""} onSignedIn={go} />
      </div>
    </Dialog>
  );
}
