import { useId, type InputHTMLAttributes, type ReactNode } from 'react';

export interface TextFieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly label: string;
  readonly help?: ReactNode;
  readonly isInvalid?: boolean;
}

/** A field of one line with its label above it. */
export function TextField({ label, help, isInvalid = false, className = '', ...input }: TextFieldProps) {
  const helpId = useId();
  return (
    <div className="flex flex-col gap-1">
      <label className="flex flex-col gap-1">
        <span className="font-semibold">{label}</span>
        <input
          autoComplete="off"
          spellCheck={false}
          {...input}
          aria-invalid={isInvalid}
          aria-describedby={help === undefined ? undefined : helpId}
          className={`h-8 rounded-sm border border-edge bg-surface px-2 ${className}`}
        />
      </label>
      {help !== undefined && (
        <p id={helpId} className="text-sm text-quiet">
          {help}
        </p>
      )}
    </div>
  );
}
