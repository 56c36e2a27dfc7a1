/** After a thousands separator. */
const BREAKS = /(?<=\d\D)(?=\d{3}(?!\d))/;

/** Before the domain of an e-mail address. */
const DOMAIN = /(?=@)/;

/** A figure that may wrap at its thousands separators. */
export function LongFigure({ text }: { text: string }) {
  return <Breakable text={text} at={BREAKS} />;
}

/** A name that is often an e-mail address, which wraps before its domain where it can. */
export function LongName({ text }: { text: string }) {
  return <Breakable text={text} at={DOMAIN} />;
}

function Breakable({ text, at: breaks }: { text: string; at: RegExp }) {
  return (
    <>
      {text.split(breaks).map((part, at) => (
        <>
          {at > 0 && <wbr />}
          {part}
        </>
      ))}
    </>
  );
}
