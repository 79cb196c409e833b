import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { CommandLines } from '../../ui/command-lines';
import { usePageTitle } from '../../ui/page-title';
import { Status } from '../../ui/status';
import { TextField } from '../../ui/text-field';
import { ExecutionList } from './execution-list';
import { STATUSES } from './execution-state';
import { executionsQuery } from './executions.queries';
import { parseExecutionsSearch, toggleStatus, type ExecutionsSearch } from './executions.search';
import { listCommands } from './list-commands';

/** What runs, what waits and what failed, newest first. */
export function ExecutionsPage() {
  usePageTitle('Executions');
  const { can, facts } = useSession();
  const search = parseExecutionsSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const show = (next: ExecutionsSearch): void => void navigate({ to: '/executions', search: next });
  return (
    <div className="flex flex-col gap-4">
      <h1 className="text-xl font-semibold">Executions</h1>
      <Filters search={search} onChange={show} />
      <Until search={search} onChange={show} />
      <Narrowing search={search} onChange={show} />
      {can('tasks:read') ? (
        <ExecutionList search={search} onReset={() => show({})} />
      ) : (
        <p>This takes the scope tasks:read: your key has {facts.scopes.join(', ') || 'no scopes'}.</p>
      )}
      <CommandLines lines={listCommands(search)} />
    </div>
  );
}

interface FiltersProps {
  readonly search: ExecutionsSearch;
  readonly onChange: (next: ExecutionsSearch) => void;
}

function Filters({ search, onChange }: FiltersProps) {
  const chosen = (search.status ?? '').split(',');
  return (
    <fieldset className="flex flex-wrap gap-2">
      <legend className="sr-only">Statuses</legend>
      {STATUSES.map((status, index) => (
        <Button
          key={status}
          aria-keyshortcuts={index === 0 ? '/' : undefined}
          aria-pressed={chosen.includes(status)}
          className="aria-pressed:border-accent aria-pressed:bg-sunken"
          onClick={() => onChange(toggleStatus(search, status))}
        >
          <Status of={status} />
        </Button>
      ))}
    </fieldset>
  );
}

/** Leads to a time of a long list. The field is that of the address, also after Back. */
function Until({ search, onChange }: FiltersProps) {
  const { to, ...others } = search;
  return (
    <div className="self-start">
      <TextField
        key={to}
        type="datetime-local"
        label={search.order === 'ended' ? 'Ended until' : 'Created until'}
        defaultValue={to === undefined ? '' : localText(new Date(to))}
        onChange={({ target }) => {
          const at = new Date(target.value);
          if (target.value === '') onChange(others);
          else if (!Number.isNaN(at.getTime())) onChange({ ...others, to: at.toISOString() });
        }}
      />
    </div>
  );
}

/** As the field takes it: without a zone. */
function localText(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Filters that other pages set: what they are, and a button to be rid of each. */
function Narrowing({ search, onChange }: FiltersProps) {
  const { cause, entity, job, queue, parent, session, from, to, order, ...others } = search;
  const single = { cause, entity, job, queue, parent, session };
  const period = { from, to, order };
  const names = useNames(search);
  const show = (kept: Readonly<Record<string, unknown>>): void =>
    onChange(parseExecutionsSearch({ ...others, ...kept }));
  return (
    <div className="flex flex-wrap gap-2 empty:hidden">
      {(Object.keys(single) as (keyof typeof single)[]).map(
        (name) =>
          single[name] !== undefined && (
            <Button key={name} onClick={() => show({ ...period, ...single, [name]: undefined })}>
              {names[name] === undefined ? (
                `Of one ${name}`
              ) : (
                <span className="max-w-[60ch] truncate">{names[name]}</span>
              )}{' '}
              ✕
            </Button>
          ),
      )}
      {(from !== undefined || to !== undefined) && (
        <Button onClick={() => show(single)}>
          {order === 'ended' ? 'Ended' : 'Created'} {from !== undefined && `from ${new Date(from).toLocaleString()} `}
          {to !== undefined && `to ${new Date(to).toLocaleString()}`} ✕
        </Button>
      )}
    </div>
  );
}

/** Returns what filters are about, as one of the executions that they find says it. */
function useNames(search: ExecutionsSearch): Readonly<Record<string, string | undefined>> {
  const session = useSession();
  const { data } = useInfiniteQuery({ ...executionsQuery(session, search), enabled: session.can('tasks:read') });
  const one = data?.pages[0]?.rows[0];
  return {
    ...(one?.error_message ? { cause: `Like ${one.error_message.trimStart().split('\n')[0]}` } : {}),
    ...(one?.entity_name ? { entity: `Of ${one.entity_name}` } : {}),
  };
}
