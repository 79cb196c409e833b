interface CodeBlockProps {
  /** What it is. */
  readonly label: string;
  readonly text: string;
}

/** Text of a fixed width that scrolls, also by keyboard. */
export function CodeBlock({ label, text }: CodeBlockProps) {
  return (
    <figure aria-label={label}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} className="max-h-96 overflow-auto rounded-sm bg-sunken p-2 font-mono text-sm">
        {text}
      </pre>
    </figure>
  );
}
