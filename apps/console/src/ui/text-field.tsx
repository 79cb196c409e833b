import type { InputHTMLAttributes } from 'react';
import { Labelled, type LabelledProps } from './labelled';

export interface TextFieldProps extends LabelledProps, InputHTMLAttributes<HTMLInputElement> {}

/** A field of one line. */
export function TextField({ label, help, fault, className = '', ...input }: TextFieldProps) {
  return (
    <Labelled label={label} help={help} fault={fault}>
      {(description) => (
        <input
          autoComplete="off"
          spellCheck={false}
          {...input}
          {...description}
          className={`h-8 rounded-sm border border-edge bg-surface px-2 ${className}`}
        />
      )}
    </Labelled>
  );
}
