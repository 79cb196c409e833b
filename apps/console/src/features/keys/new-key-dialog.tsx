import { useState, type FormEvent } from 'react';
import { useSession } from '../../session/session-context';
import type { KeyScope } from '../../session/session';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { FailurePanel } from '../../ui/failure-panel';
import { textOf } from '../../ui/form-data';
import { SelectField } from '../../ui/select-field';
import { TextField } from '../../ui/text-field';
import { EXPIRIES, expiryOf, grantableTasks, KEY_SCOPES, type KeyTask } from './key-tasks';
import { useMintKey, type MintedKey } from './keys.queries';

const OWN_CHOICE = 'own';

interface NewKeyDialogProps {
  /** For whom the key acts. Absent: for the user of the key in use. */
  readonly user?: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
  readonly onMinted: (key: MintedKey) => void;
}

/** Creates a key by what it is for, so that nobody has to know the scopes. */
export function NewKeyDialog({ user, onClose, onMinted }: NewKeyDialogProps) {
  const { can } = useSession();
  const mint = useMintKey();
  const tasks = grantableTasks(can);
  const [task, setTask] = useState(tasks[0]?.id ?? OWN_CHOICE);
  const [chosen, setChosen] = useState<readonly KeyScope[]>([]);
  const scopes = tasks.find(({ id }) => id === task)?.scopes ?? chosen;
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const expires_at = expiryOf(textOf(data, 'expiry'), new Date());
    const owner = user === undefined ? {} : { user_id: user.id };
    mint.mutate({ name: textOf(data, 'name'), scopes: [...scopes], expires_at, ...owner }, { onSuccess: onMinted });
  };
  return (
    <Dialog isOpen title={user === undefined ? 'New key' : `New key for ${user.name}`} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField name="name" label="Name" required maxLength={255} placeholder="nightly reports" />
        <TaskChoice tasks={tasks} chosen={task} onChange={setTask} />
        {task === OWN_CHOICE ? (
          <ScopeChoice chosen={chosen} onChange={setChosen} />
        ) : (
          <p className="text-sm">Scopes: {scopes.join(', ')}</p>
        )}
        <SelectField name="expiry" label="Expires after" options={EXPIRIES} defaultValue="90" />
        {mint.error !== null && <FailurePanel error={mint.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            kind="primary"
            isBusy={mint.isPending}
            disabledReason={scopes.length === 0 ? 'Choose at least one scope' : undefined}
          >
            Create the key
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface TaskChoiceProps {
  readonly tasks: readonly KeyTask[];
  readonly chosen: string;
  readonly onChange: (id: string) => void;
}

function TaskChoice({ tasks, chosen, onChange }: TaskChoiceProps) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 font-semibold">What is it for?</legend>
      {[...tasks, { id: OWN_CHOICE, label: 'Own choice', help: 'Choose the scopes.' }].map(({ id, label, help }) => (
        <label key={id} className="flex items-start gap-2">
          <input
            type="radio"
            name="task"
            value={id}
            checked={chosen === id}
            onChange={() => onChange(id)}
            className="mt-1 size-4 shrink-0"
          />
          <span>
            {label}
            <span className="block text-sm text-quiet">{help}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

interface ScopeChoiceProps {
  readonly chosen: readonly KeyScope[];
  readonly onChange: (chosen: readonly KeyScope[]) => void;
}

function ScopeChoice({ chosen, onChange }: ScopeChoiceProps) {
  const { can } = useSession();
  return (
    <fieldset className="grid grid-cols-2 gap-1">
      <legend className="pb-1 font-semibold">Scopes</legend>
      {KEY_SCOPES.map((scope) => (
        <label key={scope} className="flex items-center gap-2">
          <input
            type="checkbox"
            checked={chosen.includes(scope)}
            disabled={!can(scope)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, scope] : chosen.filter((other) => other !== scope))
            }
            className="size-4 shrink-0"
          />
          <code className="font-mono text-sm">{scope}</code>
        </label>
      ))}
    </fieldset>
  );
}
