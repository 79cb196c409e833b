import { useId, type ReactNode, type TextareaHTMLAttributes } from 'react';

export interface TextAreaFieldProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  readonly label: string;
  readonly help?: ReactNode;
}

/** A field of several lines with its label above it. */
export function TextAreaField({ label, help, ...textarea }: TextAreaFieldProps) {
  const helpId = useId();
  return (
    <div className="flex flex-col gap-1">
      <label className="flex flex-col gap-1">
        <span className="font-semibold">{label}</span>
        <textarea
          rows={4}
          spellCheck={false}
          {...textarea}
          aria-describedby={help === undefined ? undefined : helpId}
          className="rounded-sm border border-edge bg-surface px-2 py-1"
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
