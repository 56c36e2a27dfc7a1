import { Missing } from "../feedback/state.tsx";
import { Page } from "./page.tsx";
import { t } from "../../languages/messages.ts";

/** The page for unknown paths, with a link to `home`. */
export function NotFound({ home }: { home: string }) {
  return (
    <Page title={t("not_found")}>
      <Missing>
        <a class="button" href={home}>
          {t("not_found.home")}
        </a>
      </Missing>
    </Page>
  );
}
