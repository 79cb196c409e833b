import { useId, type ReactNode } from 'react';

export interface LabelledProps {
  readonly label: string;
  readonly help?: ReactNode;
  /** What is wrong with the value; absent: nothing is. */
  readonly fault?: string | undefined;
}

/** How a field refers to what is said about it. */
export interface FieldDescription {
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean;
}

interface Props extends LabelledProps {
  readonly children: (description: FieldDescription) => ReactNode;
}

/** A field with its label above it; help, and what is wrong, are below it. */
export function Labelled({ label, help, fault, children }: Props) {
  const id = useId();
  const isDescribed = help !== undefined || fault !== undefined;
  return (
    <div className="flex flex-col gap-1">
      <label className="flex flex-col gap-1">
        <span className="font-semibold">{label}</span>
        {children({ 'aria-describedby': isDescribed ? id : undefined, 'aria-invalid': fault !== undefined })}
      </label>
      {isDescribed && <FieldNotes id={id} help={help} fault={fault} />}
    </div>
  );
}

/** Help, and what is wrong, below a field that refers to them by `id`. */
export function FieldNotes({ id, help, fault }: Omit<LabelledProps, 'label'> & { readonly id: string }) {
  return (
    <div id={id} className="text-sm">
      {fault !== undefined && (
        <p role="alert" className="text-danger">
          {fault}
        </p>
      )}
      {help !== undefined && <p className="text-quiet">{help}</p>}
    </div>
  );
}
