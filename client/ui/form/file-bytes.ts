/** A chosen file as base64, for JSON. */
export function bytesOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result)));
    reader.addEventListener("error", () => reject(reader.error ?? new Error("The file can't be read")));
    reader.readAsDataURL(file);
  });
}
