import { Missing } from "../feedback/state.tsx";
import { Page } from "./page.tsx";

/** The page for unknown paths, with a link to `home`. */
export function NotFound({ home }: { home: string }) {
  return (
    <Page title="Not found">
      <Missing>
        <a class="button" href={home}>
          Go to Home
        </a>
      </Missing>
    </Page>
  );
}
