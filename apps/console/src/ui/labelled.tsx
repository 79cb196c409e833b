import { useId, type ReactNode } from 'react';

interface LabelledProps {
  readonly label: string;
  readonly help?: ReactNode;
  /** The field; it is described by the element of the id, if there is help. */
  readonly children: (helpId: string | undefined) => ReactNode;
}

/** A field with its label above it and help below it. */
export function Labelled({ label, help, children }: LabelledProps) {
  const helpId = useId();
  return (
    <div className="flex flex-col gap-1">
      <label className="flex flex-col gap-1">
        <span className="font-semibold">{label}</span>
        {children(help === undefined ? undefined : helpId)}
      </label>
      {help !== undefined && (
        <p id={helpId} className="text-sm text-quiet">
          {help}
        </p>
      )}
    </div>
  );
}
