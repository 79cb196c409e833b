import type { ComponentProps } from 'react';
import { Labelled, type LabelledProps } from './labelled';

export interface TextAreaFieldProps extends LabelledProps, ComponentProps<'textarea'> {}

/** A field of several lines. */
export function TextAreaField({ label, help, fault, className = '', ...textarea }: TextAreaFieldProps) {
  return (
    <Labelled label={label} help={help} fault={fault}>
      {(description) => (
        <textarea
          rows={4}
          spellCheck={false}
          {...textarea}
          {...description}
          className={`rounded-sm border border-edge bg-surface px-2 py-1 ${className}`}
        />
      )}
    </Labelled>
  );
}
