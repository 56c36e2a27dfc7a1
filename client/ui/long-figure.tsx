/** After a thousands separator. */
const BREAKS = /(?<=\d\D)(?=\d{3}(?!\d))/;

/** A figure that may wrap at its thousands separators. */
export function LongFigure({ text }: { text: string }) {
  return (
    <>
      {text.split(BREAKS).map((part, at) => (
        <>
          {at > 0 && <wbr />}
          {part}
        </>
      ))}
    </>
  );
}
