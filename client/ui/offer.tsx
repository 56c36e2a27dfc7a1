/** A campaign's terms. `lines` are the server's sentences. */
export function Offer({ lines, title, level = 3 }: { lines: string[]; title: string; level?: 2 | 3 }) {
  const Heading = `h${level}` as const;
  return (
    <div class="stack tight">
      <Heading>{title}</Heading>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  );
}
