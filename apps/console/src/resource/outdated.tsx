import { Button } from '../ui/button';
import type { Rival } from './form-values';

interface OutdatedPanelProps {
  readonly onLoad: (form: HTMLFormElement) => void;
}

/** Stands in a form whose changes were refused, because others changed the thing meanwhile. */
export function OutdatedPanel({ onLoad }: OutdatedPanelProps) {
  return (
    <div role="alert" className="flex flex-col items-start gap-2 rounded-md border border-warning bg-surface p-4">
      <p className="font-semibold text-warning">Somebody else changed it meanwhile</p>
      <p>Nothing was saved. Load the newer version: what you have entered stays.</p>
      <Button
        onClick={({ currentTarget: { form } }) => {
          if (form !== null) onLoad(form);
        }}
      >
        Load the newer version
      </Button>
    </div>
  );
}

/** Says after that what saving replaces. */
export function LoadedNote({ rivals }: { readonly rivals: readonly Rival[] }) {
  return (
    <output className="flex flex-col gap-1 rounded-md border border-hairline bg-surface p-3">
      <span className="font-semibold">The newer version is loaded, and what you entered stays.</span>
      {rivals.map(({ label, text }) => (
        <span key={label} className="whitespace-pre-wrap">
          Saving replaces {label}, which is now: {text === '' ? 'nothing' : text}
        </span>
      ))}
    </output>
  );
}
