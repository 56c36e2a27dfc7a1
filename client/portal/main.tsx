import { render } from "preact";
import { LonePage } from "../ui/shell/page.tsx";

/** The pages for promoters. */
function Portal() {
  return <LonePage title="Promoter portal">Nothing is here yet.</LonePage>;
}

render(<Portal />, document.getElementById("app")!);
