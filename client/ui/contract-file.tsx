import { t } from "../languages/messages.ts";
import type { components } from "./api/types.ts";
import { saveFile } from "./feedback/save-file.ts";

/** Saves a contract as a PDF file, which the API answers in base64. */
export function ContractFile({
  name,
  load,
}: {
  name: string;
  load: () => Promise<components["schemas"]["ContractContent"]>;
}) {
  const make = async () => {
    const { data } = await load();
    const bytes = Uint8Array.from(atob(data.content), (character) => character.charCodeAt(0));
    return new Blob([bytes], { type: "application/pdf" });
  };
  return (
    <div>
      <button class="button" onClick={() => void saveFile(`${name}.pdf`, make)}>
        {t("download_pdf")}
      </button>
    </div>
  );
}
