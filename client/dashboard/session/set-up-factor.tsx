import { lazy } from "../../ui/shell/lazy.tsx";
import { factorDemand } from "../../ui/api/session-end.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { signOut } from "./session.ts";

const SecondFactor = lazy(async () => (await import("../settings/second-factor.tsx")).SecondFactor);

/** Leads to a second factor when the account demands one, over the page, which then goes on. */
export function SetUpFactor() {
  const demanded = factorDemand.waiting.value;
  if (demanded === null) return null;
  return (
    <Dialog title="Set up a second factor">
      <div class="stack">
        <p>This account demands a second factor of everybody. Set yours up, and go on.</p>
        <SecondFactor onSetUp={() => demanded.settle(true)} />
        <div>
          <button class="button plain little" onClick={signOut}>
            Sign out
          </button>
        </div>
      </div>
    </Dialog>
  );
}
