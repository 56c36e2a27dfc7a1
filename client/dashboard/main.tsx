import { render } from "preact";
import { LocationProvider, useLocation } from "preact-iso/router";
import { useEffect } from "preact/hooks";
import { at, pathOf } from "../ui/base.ts";
import { Await } from "../ui/feedback/state.tsx";
import { useLoad } from "../ui/api/load.ts";
import { preloadPage } from "../ui/shell/lazy.tsx";
import { Frame } from "./frame.tsx";
import { PAGES } from "./pages.ts";
import { findSession, session } from "./session/session.ts";
import { SignIn } from "./session/sign-in.tsx";
import { Welcome } from "./session/welcome.tsx";
import { setMessages } from "../languages/messages.ts";
import { shared } from "../languages/en.ts";

/** The pages for the company's team. Users who are not signed in see the sign-in form at the same URL. */
function Dashboard() {
  const { path } = useLocation();
  if (path === at("/admin/welcome")) return <Welcome />;
  return <SignedIn />;
}

function SignedIn() {
  const { path, route } = useLocation();
  const loaded = useLoad(async () => {
    await findSession();
    return true;
  });
  const isSignedIn = session.value !== null;
  useEffect(() => {
    if (isSignedIn && path === at("/admin/sign-in")) route(at("/admin"), true);
  }, [isSignedIn, path]);
  return (
    <Await loaded={loaded} skeleton={<div />}>
      {() => (isSignedIn ? <Frame /> : <SignIn />)}
    </Await>
  );
}

// The dashboard is in English. Its figures and dates follow the browser.
setMessages("en", shared);
// The page's code is loaded while the session is checked.
preloadPage(PAGES, pathOf(location.pathname));
render(
  <LocationProvider scope={at("/admin")}>
    <Dashboard />
  </LocationProvider>,
  document.getElementById("app")!,
);
