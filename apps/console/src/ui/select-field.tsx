import type { SelectHTMLAttributes } from 'react';
import { Labelled, type LabelledProps } from './labelled';

export interface Option {
  readonly value: string;
  readonly label: string;
}

export interface SelectFieldProps extends LabelledProps, SelectHTMLAttributes<HTMLSelectElement> {
  readonly options: readonly Option[];
}

/** A choice of one value. */
export function SelectField({ label, help, fault, options, ...select }: SelectFieldProps) {
  return (
    <Labelled label={label} help={help} fault={fault}>
      {(description) => (
        <select {...select} {...description} className="h-8 rounded-sm border border-edge bg-surface px-2">
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}
