import { render } from "preact";
import { LocationProvider, useLocation } from "preact-iso/router";
import { useLoad } from "../ui/api/load.ts";
import { at, pathOf } from "../ui/base.ts";
import { Await } from "../ui/feedback/state.tsx";
import { preloadPage } from "../ui/shell/lazy.tsx";
import { Frame, PAGES } from "./frame.tsx";
import { Agreements, asksFirst } from "./session/agreements.tsx";
import { ChoosePassword } from "./session/choose-password.tsx";
import { findSession, session, takeToken } from "./session/session.ts";
import { SignIn } from "./session/sign-in.tsx";
import { Welcome } from "./session/welcome.tsx";
import { served, speak } from "../languages/languages.ts";

/** The pages for promoters. Promoters who are not signed in see the sign-in form at the same URL. */
function Portal() {
  const { path } = useLocation();
  return path === at("/portal/welcome") ? <Welcome /> : <SignedIn />;
}

function SignedIn() {
  const loaded = useLoad(async () => {
    await findSession();
    return true;
  });
  return (
    <Await loaded={loaded} skeleton={<div />}>
      {() => {
        if (session.value === null) return <SignIn />;
        if (session.value.must_set_password) return <ChoosePassword />;
        return asksFirst(session.value) ? <Agreements signedIn={session.value} /> : <Frame />;
      }}
    </Await>
  );
}

takeToken();
// The page's code is loaded while the session is checked.
preloadPage(PAGES, pathOf(location.pathname));
void speak(served).then(() =>
  render(
    <LocationProvider scope={at("/portal")}>
      <Portal />
    </LocationProvider>,
    document.getElementById("app")!,
  ),
);
