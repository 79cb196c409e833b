import { useId, type InputHTMLAttributes, type ReactNode } from 'react';

interface CheckFieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly label: string;
  readonly help?: ReactNode;
}

/** A field that is on or off, with its label after it. */
export function CheckField({ label, help, ...input }: CheckFieldProps) {
  const helpId = useId();
  return (
    <div className="flex flex-col gap-1">
      <label className="flex min-h-6 items-center gap-2 font-semibold">
        <input type="checkbox" {...input} aria-describedby={help === undefined ? undefined : helpId} />
        {label}
      </label>
      {help !== undefined && (
        <p id={helpId} className="text-sm text-quiet">
          {help}
        </p>
      )}
    </div>
  );
}
