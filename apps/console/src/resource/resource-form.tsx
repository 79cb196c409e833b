import { useQueries } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { isOutdated } from '../api/entity-tag';
import { faultsByField } from '../api/failure';
import type { Form, FormField } from '../api/form';
import { useSession } from '../session/session-context';
import { Button } from '../ui/button';
import { FailurePanel } from '../ui/failure-panel';
import { Skeleton } from '../ui/skeleton';
import { OutdatedPanel } from './outdated';
import { FieldInput } from './field-input';
import { readForm, type Values } from './form-values';
import type { Choices, FormView } from './resource';

interface ResourceFormProps<Body> {
  readonly form: Form<Body>;
  readonly view?: FormView | undefined;
  /** Names of the fields that cannot be empty. */
  readonly required: ReadonlySet<string>;
  /** What is stored; absent for a new thing. */
  readonly stored?: Values | undefined;
  /** What a person entered before over what is stored. */
  readonly edits?: Values | undefined;
  /** What the fields of a new thing contain at first. */
  readonly start?: Values | undefined;
  /** What happens, on the button. */
  readonly action: string;
  readonly isBusy: boolean;
  readonly error: Error | null;
  readonly onSubmit: (body: Partial<Body>) => void;
  readonly onCancel: () => void;
  /** Present once others have changed what is stored: loads it, under what a person has entered so far. */
  readonly onReload?: ((edits: Partial<Body>) => void) | undefined;
}

/** Draws the form of a body from what the API says about it, and reads what a person entered. */
export function ResourceForm<Body>(props: ResourceFormProps<Body>) {
  const { form, view, required, stored, start, edits, action, isBusy, error } = props;
  const { onSubmit, onCancel, onReload } = props;
  const [unread, setUnread] = useState<Readonly<Record<string, string>>>({});
  const choices = useChoices(view);
  if (choices === null) return <Skeleton rows={4} label="Loading the form" />;
  const refused = faultsByField(error);
  const faults = { ...refused, ...unread };
  const readTo = (use: (body: Partial<Body>) => void, element: HTMLFormElement): void => {
    const read = readForm(form, new FormData(element), stored);
    setUnread(read.faults);
    if (Object.keys(read.faults).length === 0) use(read.body);
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    readTo(onSubmit, event.currentTarget);
  };
  const values: Values = { ...(stored ?? start), ...edits };
  const inputOf = (field: FormField) => (
    <FieldInput
      key={field.name}
      field={field}
      value={values[field.name] ?? (stored === undefined ? field.initial : undefined)}
      choices={choices[field.name] ?? null}
      isRequired={required.has(field.name)}
      fault={faults[field.name]}
    />
  );
  const isFolded = ({ name }: FormField): boolean => view?.folded?.includes(name) === true;
  const folded = form.fields.filter(isFolded);
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {form.fields.filter((field) => !isFolded(field)).map(inputOf)}
      {folded.length > 0 && (
        <Folded isOpen={folded.some(({ name }) => faults[name] !== undefined)}>{folded.map(inputOf)}</Folded>
      )}
      {error !== null && !isOutdated(error) && !isShownAtFields(form, refused) && <FailurePanel error={error} />}
      {onReload !== undefined && <OutdatedPanel onLoad={(element) => readTo(onReload, element)} />}
      <div className="sticky -bottom-4 -mx-4 -mb-4 flex justify-end gap-2 border-t border-hairline bg-surface p-4">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" kind="primary" isBusy={isBusy}>
          {action}
        </Button>
      </div>
    </form>
  );
}

function Folded({ isOpen, children }: { readonly isOpen: boolean; readonly children: ReactNode }) {
  return (
    <details open={isOpen || undefined}>
      <summary className="font-semibold">More settings</summary>
      <div className="flex flex-col gap-4 pt-4">{children}</div>
    </details>
  );
}

function isShownAtFields({ fields }: Form<unknown>, refused: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(refused);
  return names.length > 0 && names.every((refusedName) => fields.some(({ name }) => name === refusedName));
}

/**
 * Returns what can be chosen, by the name of the field; null while it is asked for. Fields whose choices cannot be read
 * are typed.
 */
function useChoices(view: FormView | undefined): Readonly<Record<string, Choices>> | null {
  const session = useSession();
  const entries = Object.entries(view?.choices ?? {});
  const results = useQueries({ queries: entries.map(([, query]) => query(session)) });
  if (results.some(({ isPending }) => isPending)) return null;
  return Object.fromEntries(entries.map(([name], index) => [name, results[index]?.data ?? null]));
}
