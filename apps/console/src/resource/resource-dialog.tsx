import { useState } from 'react';
import { Dialog } from '../ui/dialog';
import { SelectField } from '../ui/select-field';
import type { Values } from './form-values';
import { LoadedNote } from './outdated';
import type { Resource } from './resource';
import { ResourceForm } from './resource-form';
import { useSaving } from './use-saving';

const EMPTY = 'An empty form';

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
  const { one, create, update, view, starts = [], nameOf } = resource;
  const [start, setStart] = useState(EMPTY);
  const form = (row === undefined ? create : update)?.form;
  const saving = useSaving(resource, row, form, onSaved);
  const fields = create?.form.fields ?? [];
  if (form === undefined) return null;
  const labels = [EMPTY, ...starts.map(({ label }) => label)];
  return (
    <Dialog isOpen title={row === undefined ? `New ${one}` : `Change ${nameOf(row)}`} onClose={onClose}>
      {row === undefined && starts.length > 0 && (
        <SelectField
          label="Start from"
          help="An example fills in the form; everything in it can be changed."
          options={labels.map((label) => ({ value: label, label }))}
          value={start}
          onChange={({ target }) => setStart(target.value)}
        />
      )}
      {saving.rivals !== null && <LoadedNote rivals={saving.rivals} />}
      <ResourceForm
        // Fields are set anew by what they start from, and belong to the person afterwards.
        key={`${start} ${String(saving.tag)}`}
        form={form}
        view={view}
        // What a new one needs cannot be emptied later.
        required={new Set(fields.flatMap(({ name, isRequired }) => (isRequired ? [name] : [])))}
        stored={saving.stored}
        edits={saving.edits}
        start={starts.find(({ label }) => label === start)?.values}
        action={row === undefined ? `Create the ${one}` : 'Save'}
        isBusy={saving.isBusy}
        error={saving.error}
        onSubmit={saving.save}
        onCancel={onClose}
        onReload={saving.readUnder}
      />
    </Dialog>
  );
}
