/** Behind a separator of thousands. */
const BREAKS = /(?<=\d\D)(?=\d{3}(?!\d))/;

/** A figure that breaks at its thousands if it is wider than its place. */
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
