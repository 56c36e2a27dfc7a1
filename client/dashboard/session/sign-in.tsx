import { LonePage } from "../../ui/shell/page.tsx";
import { begin } from "./session.ts";
import { SignInForm } from "./sign-in-form.tsx";

/** The page of everybody who is not signed in. */
export function SignIn() {
  return (
    <LonePage title="Sign in">
      <SignInForm onSignedIn={begin} />
    </LonePage>
  );
}
