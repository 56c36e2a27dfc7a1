import { render } from "preact";
import { LonePage } from "../ui/shell/page.tsx";

/** The page for whoever wants to promote. */
function Join() {
  return <LonePage title="Become a promoter">Nothing is here yet.</LonePage>;
}

render(<Join />, document.getElementById("app")!);
