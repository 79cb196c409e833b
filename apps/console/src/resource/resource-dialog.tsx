import { useState } from 'react';
import { Dialog } from '../ui/dialog';
import { SelectField } from '../ui/select-field';
import type { Values } from './form-values';
import type { Resource } from './resource';
import { ResourceForm } from './resource-form';
import { useSaveResource } from './resource.queries';

interface ResourceDialogProps<Row extends Values> {
  readonly resource: Resource<Row>;
  /** What is changed; absent: a new one is made. */
  readonly row?: Row;
  readonly onClose: () => void;
  readonly onSaved: (row: Row) => void;
}

/** Makes or changes a resource. */
export function ResourceDialog<Row extends Values>(props: ResourceDialogProps<Row>) {
  const { resource, row, onClose, onSaved } = props;
  const { one, create, update, view, starts = [], nameOf, valuesOf } = resource;
  const save = useSaveResource(resource, row);
  const [start, setStart] = useState('');
  // What differs is what differs from what was shown, also when the row is read again under the open form.
  const [stored] = useState(row === undefined ? undefined : (valuesOf?.(row) ?? row));
  const form = (row === undefined ? create : update)?.form;
  const fields = create?.form.fields ?? [];
  if (form === undefined) return null;
  const labels = ['Nothing', ...starts.map(({ label }) => label)];
  return (
    <Dialog isOpen title={row === undefined ? `New ${one}` : `Change ${nameOf(row)}`} onClose={onClose}>
      {row === undefined && starts.length > 0 && (
        <SelectField
          label="Start from"
          options={labels.map((label) => ({ value: label, label }))}
          value={start}
          onChange={({ target }) => setStart(target.value)}
        />
      )}
      <ResourceForm
        // Fields are set anew by what they start from, and belong to the person afterwards.
        key={start}
        form={form}
        view={view}
        // What a new one needs cannot be emptied later.
        required={new Set(fields.flatMap(({ name, isRequired }) => (isRequired ? [name] : [])))}
        stored={stored}
        start={starts.find(({ label }) => label === start)?.values}
        action={row === undefined ? `Create the ${one}` : 'Save'}
        isBusy={save.isPending}
        error={save.error}
        onSubmit={(body) => save.mutate(body, { onSuccess: onSaved })}
        onCancel={onClose}
      />
    </Dialog>
  );
}
