import { useState } from 'react';
import { isOutdated } from '../api/entity-tag';
import type { Form } from '../api/form';
import { rivalsOf, type Rival, type Values } from './form-values';
import type { Resource } from './resource';
import { useReadAgain, useSaveResource } from './resource.queries';

interface Shown<Row> {
  readonly row: Row | undefined;
  /** What the person had entered when it was read. */
  readonly edits: Values;
  /** Null: it was not read again. */
  readonly rivals: readonly Rival[] | null;
}

export interface Saving {
  /** What the form shows and is compared with; absent for a new thing. */
  readonly stored: Values | undefined;
  /** The tag of that. */
  readonly tag: unknown;
  readonly edits: Values;
  readonly rivals: readonly Rival[] | null;
  readonly isBusy: boolean;
  readonly error: Error | null;
  readonly save: (body: unknown) => void;
  /** Present once others have changed what is stored: reads it again under what a person has entered. */
  readonly readUnder: ((edits: Values) => void) | undefined;
}

/**
 * Saves what the form of a resource sends. What differs is what differs from what was shown, also when the row is read
 * again under the open form.
 */
export function useSaving<Row extends Values>(
  resource: Resource<Row>,
  row: Row | undefined,
  form: Form<unknown> | undefined,
  onSaved: (row: Row) => void,
): Saving {
  const [shown, setShown] = useState<Shown<Row>>({ row, edits: {}, rivals: null });
  const saving = useSaveResource(resource, shown.row);
  const again = useReadAgain(resource);
  const before = shown.row;
  const storedOf = (one: Row): Values => resource.valuesOf?.(one) ?? one;
  const readUnder = (edits: Values, old: Row, { fields }: Pick<Form<unknown>, 'fields'>): void =>
    again.mutate(resource.idOf(old), {
      onSuccess: (newer) => {
        setShown({ row: newer, edits, rivals: rivalsOf(fields, edits, storedOf(old), storedOf(newer)) });
        saving.reset();
      },
    });
  const canRead = isOutdated(saving.error) && before !== undefined && form !== undefined;
  return {
    stored: before === undefined ? undefined : storedOf(before),
    tag: before?.['entity_tag'],
    edits: shown.edits,
    rivals: shown.rivals,
    isBusy: saving.isPending || again.isPending,
    error: again.error ?? saving.error,
    save: (body) => saving.mutate(body, { onSuccess: onSaved }),
    readUnder: canRead ? (edits) => readUnder(edits, before, form) : undefined,
  };
}
