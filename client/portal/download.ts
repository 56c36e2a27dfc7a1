import { asRefusal } from "../ui/api/refusal.ts";
import { toastRefusal } from "../ui/feedback/toast.tsx";

/** Saves a text as a file. The page fetches it, because a link could not send the token of a frame. */
export async function saveAs(name: string, load: () => Promise<string>): Promise<void> {
  try {
    const address = URL.createObjectURL(new Blob([await load()], { type: "text/csv" }));
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
    URL.revokeObjectURL(address);
  } catch (error) {
    toastRefusal(asRefusal(error));
  }
}
