import { useSignal } from "@preact/signals";
import { LonePage } from "../../ui/shell/page.tsx";
import { ForgottenPassword } from "./forgotten-password.tsx";
import { begin } from "./session.ts";
import { SignInForm } from "./sign-in-form.tsx";

/** The page for users who are not signed in. */
export function SignIn() {
  const hasForgotten = useSignal(false);
  if (hasForgotten.value) return <ForgottenPassword onBack={() => (hasForgotten.value = false)} />;
  return (
    <LonePage title="Sign in">
      <SignInForm
        onSignedIn={begin}
        others={
          <button type="button" class="button plain" onClick={() => (hasForgotten.value = true)}>
            Forgot password?
          </button>
        }
      />
    </LonePage>
  );
}
