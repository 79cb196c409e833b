import type { ReactNode, TextareaHTMLAttributes } from 'react';
import { Labelled } from './labelled';

export interface TextAreaFieldProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  readonly label: string;
  readonly help?: ReactNode;
}

/** A field of several lines. */
export function TextAreaField({ label, help, ...textarea }: TextAreaFieldProps) {
  return (
    <Labelled label={label} help={help}>
      {(helpId) => (
        <textarea
          rows={4}
          spellCheck={false}
          {...textarea}
          aria-describedby={helpId}
          className="rounded-sm border border-edge bg-surface px-2 py-1"
        />
      )}
    </Labelled>
  );
}
