import { useId } from 'react';
import { CopyButton } from './copy-button';
import { Section } from './section';

/** Something that the page does not do, and the command that does it. */
export interface CommandLine {
  readonly does: string;
  /** As a shell takes it. */
  readonly command: string;
}

/** Which commands do what a page does not do. */
export function CommandLines({ lines }: { readonly lines: readonly CommandLine[] }) {
  return (
    <Section title="With agentctl">
      <dl className="grid items-center gap-x-4 gap-y-2 md:grid-cols-[auto_minmax(0,1fr)]">
        {lines.map((line) => (
          <Line key={line.command} {...line} />
        ))}
      </dl>
    </Section>
  );
}

function Line({ does, command }: CommandLine) {
  const id = useId();
  return (
    <>
      <dt className="text-quiet">{does}</dt>
      <dd className="flex gap-2">
        <input
          id={id}
          aria-label={does}
          readOnly
          value={command}
          className="h-8 min-w-0 flex-1 rounded-sm border border-edge bg-sunken px-2 font-mono text-sm"
        />
        <CopyButton text={command} fieldId={id} />
      </dd>
    </>
  );
}
