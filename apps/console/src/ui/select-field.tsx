import type { SelectHTMLAttributes } from 'react';

export interface SelectFieldProps extends SelectHTMLAttributes<HTMLSelectElement> {
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** A choice of one value, with its label before it. */
export function SelectField({ label, options, ...select }: SelectFieldProps) {
  return (
    <label className="flex flex-wrap items-center gap-2">
      <span className="font-semibold">{label}</span>
      <select {...select} className="h-8 rounded-sm border border-edge bg-surface px-2">
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  );
}
