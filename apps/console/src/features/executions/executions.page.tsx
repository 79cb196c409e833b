import { useNavigate, useSearch } from '@tanstack/react-router';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { usePageTitle } from '../../ui/page-title';
import { Status } from '../../ui/status';
import { ExecutionList } from './execution-list';
import { STATUSES } from './execution-state';
import { parseExecutionsSearch, toggleStatus, type ExecutionsSearch } from './executions.search';

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
      {can('tasks:read') ? (
        <ExecutionList search={search} onReset={() => show({})} />
      ) : (
        <p>This takes the scope tasks:read: your key has {facts.scopes.join(', ') || 'no scopes'}.</p>
      )}
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
      {STATUSES.map((status) => (
        <Button
          key={status}
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
