import { lazy } from "../../ui/shell/lazy.tsx";
import { factorDemand } from "../../ui/api/session-end.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { signOut } from "./session.ts";

const SecondFactor = lazy(async () => (await import("../settings/second-factor.tsx")).SecondFactor);

/** A dialog to set up a second factor when the account demands one. Then the page continues. */
export function SetUpFactor() {
  const demanded = factorDemand.waiting.value;
  if (demanded === null) return null;
  return (
    <Dialog title="Set up a second factor">
      <div class="stack">
        <p>This account requires a second factor from everybody. Set yours up to continue.</p>
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
