import { asRefusal } from "../ui/api/refusal.ts";
import { toastRefusal } from "../ui/feedback/toast.tsx";
import { t } from "../languages/messages.ts";

/** Saves a list as a file of this name. */
export function DownloadButton({ name, load }: { name: string; load: () => Promise<string> }) {
  return (
    <button class="button" onClick={() => void save(name, load)}>
      {t("download_csv")}
    </button>
  );
}

/** The page fetches the file, because a link could not send the token of a frame. */
async function save(name: string, load: () => Promise<string>): Promise<void> {
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
