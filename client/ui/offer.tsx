/** What a campaign pays, when, and how long a click counts. `lines`: the sentences of the server. */
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
