import { useSignal } from "@preact/signals";
import { Router, Route } from "preact-iso/router";
import type { ComponentType } from "preact";
import { Batches } from "../ui/batch/batches.tsx";
import { at } from "../ui/base.ts";
import { NotAllowed } from "../ui/feedback/state.tsx";
import { Guarded } from "../ui/shell/guarded.tsx";
import { NotFound } from "../ui/shell/not-found.tsx";
import { Page } from "../ui/shell/page.tsx";
import { Shell, type NavGroup } from "../ui/shell/shell.tsx";
import { Who } from "../ui/shell/who.tsx";
import { Find, useFindKeys } from "./find.tsx";
import { PAGES, type PageRow } from "./pages.ts";
import { may, session, signOut } from "./session/session.ts";
import { SetUpFactor } from "./session/set-up-factor.tsx";
import { SignInAgain } from "./session/sign-in-again.tsx";

/** The pages for signed-in users. */
export function Frame() {
  const signedIn = session.value;
  const isFinding = useSignal(false);
  const find = () => (isFinding.value = true);
  useFindKeys(find);
  if (signedIn === null) return null;
  return (
    <Shell
      name={signedIn.account.shown_name}
      home="/admin"
      groups={groups()}
      who={<Who {...signedIn.user} signOut={signOut} />}
      find={find}
      corner={<Batches />}
    >
      <Router>
        {PAGES.map((row) => (
          <Fresh
            key={row.path}
            path={at(row.path)}
            component={may(row.role ?? "viewer") ? row.component : Refused}
          />
        ))}
        <Route default component={NotFound} home="/admin" />
      </Router>
      {isFinding.value && <Find onClose={() => (isFinding.value = false)} />}
      <SignInAgain />
      <SetUpFactor />
    </Shell>
  );
}

/** The links to the pages that this role may see. */
function groups(): NavGroup[] {
  const found = new Map<string, PageRow[]>();
  for (const row of PAGES) {
    if (row.title === undefined || !may(row.role ?? "viewer")) continue;
    const name = row.group ?? "";
    found.set(name, [...(found.get(name) ?? []), row]);
  }
  return [...found].map(([title, rows]) => ({
    ...(title !== "" && { title }),
    items: rows.map(({ path, title = "" }) => ({ path, title })),
  }));
}

/** A page that starts over at each path, so that a form never continues with another record. */
function Fresh({ path, component: Component }: { path: string; component: ComponentType }) {
  return (
    <Guarded key={path} helper="the operator of the server">
      <Component />
    </Guarded>
  );
}

function Refused() {
  return (
    <Page title="Not allowed">
      <NotAllowed />
    </Page>
  );
}
