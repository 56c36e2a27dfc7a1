import { sessionEnd } from "../../ui/api/session-end.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { begin, forget, hasToken, session, type Session } from "./session.ts";
import { SignInForm } from "./sign-in.tsx";

/** Asks for the password when the session has ended, over the page, whose form keeps its text. */
export function SignInAgain() {
  const ended = sessionEnd.waiting.value;
  if (ended === null) return null;
  const before = session.value?.promoter;
  const go = (begun: Session) => {
    forget();
    // What the page shows belongs to somebody else then.
    if (begun.promoter.id !== before?.id) return location.reload();
    begin(begun);
    ended.settle(true);
  };
  return (
    <Dialog title="Sign in again" onClose={() => ended.settle(false)}>
      <div class="stack">
        <p class="soft">
          {hasToken()
            ? "This view has ended. Open the portal again from where you came, or sign in."
            : "Your session has ended. Sign in, and what you were doing goes on."}
        </p>
        <SignInForm email={before?.email ?? ""} onSignedIn={go} />
      </div>
    </Dialog>
  );
}
