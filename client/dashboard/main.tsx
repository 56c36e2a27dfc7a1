import { render } from "preact";
import { LonePage } from "../ui/shell/page.tsx";

/** The pages for the company's team. */
function Dashboard() {
  return <LonePage title="Dashboard">Nothing is here yet.</LonePage>;
}

render(<Dashboard />, document.getElementById("app")!);
