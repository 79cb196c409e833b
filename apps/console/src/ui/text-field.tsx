import type { InputHTMLAttributes, ReactNode } from 'react';
import { Labelled } from './labelled';

export interface TextFieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly label: string;
  readonly help?: ReactNode;
  readonly isInvalid?: boolean;
}

/** A field of one line. */
export function TextField({ label, help, isInvalid = false, className = '', ...input }: TextFieldProps) {
  return (
    <Labelled label={label} help={help}>
      {(helpId) => (
        <input
          autoComplete="off"
          spellCheck={false}
          {...input}
          aria-invalid={isInvalid}
          aria-describedby={helpId}
          className={`h-8 rounded-sm border border-edge bg-surface px-2 ${className}`}
        />
      )}
    </Labelled>
  );
}
