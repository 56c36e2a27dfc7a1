import { Page } from "../../ui/shell/page.tsx";

/** The start page. */
export function Home() {
  return <Page title="Home">{null}</Page>;
}
