import { Missing } from "../feedback/state.tsx";
import { Page } from "./page.tsx";

/** What an address without a page shows, with the way to `home`. */
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
