import type { ReactNode } from 'react';
import type { Option } from './select-field';

interface CheckListProps {
  readonly name: string;
  readonly label: string;
  readonly help?: ReactNode;
  readonly options: readonly Option[];
  readonly chosen: readonly string[];
}

/** A choice of several values. */
export function CheckList({ name, label, help, options, chosen }: CheckListProps) {
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="font-semibold">{label}</legend>
      <div className="flex max-h-48 flex-col overflow-auto rounded-sm border border-edge px-2 py-1">
        {options.map(({ value, label: text }) => (
          <label key={value} className="flex min-h-6 items-center gap-2 break-words">
            <input type="checkbox" name={name} value={value} defaultChecked={chosen.includes(value)} />
            {text}
          </label>
        ))}
        {options.length === 0 && <span className="text-quiet">There is nothing to choose from.</span>}
      </div>
      {help !== undefined && <p className="text-sm text-quiet">{help}</p>}
    </fieldset>
  );
}
