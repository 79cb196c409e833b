import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { useList } from '../../api/list';
import { missingScope } from '../../resource/missing-scope';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { textOf } from '../../ui/form-data';
import { PagedTable } from '../../ui/paged-table';
import { usePageTitle } from '../../ui/page-title';
import { Row } from '../../ui/row';
import { SelectField } from '../../ui/select-field';
import { TextField } from '../../ui/text-field';
import { Time } from '../../ui/time';
import { tracesQuery } from './traces.queries';
import { parseTracesSearch, TRACE_STATUSES, type TracesSearch } from './traces.search';
import { amountText } from './usage-text';
import { nanosecondsText } from './waterfall';

const COLUMNS = ['Name', 'Service', 'Status', 'Started', 'Duration', 'Spans', 'Errors', 'Tokens', 'Cost', 'Models'];
const STATUS_OPTIONS = ['', ...TRACE_STATUSES].map((status) => ({ value: status, label: status || 'any' }));

/** Where the time of requests and executions went, newest first. */
export function TracesPage() {
  usePageTitle('Traces');
  const search = parseTracesSearch(useSearch({ strict: false }));
  const refusal = missingScope(useSession(), 'tasks:read');
  return (
    <div className="flex flex-col gap-4">
      <h1 className="text-xl font-semibold">Traces</h1>
      {/* The fields are those of the address, also after Back. */}
      <Filters key={JSON.stringify(search)} search={search} />
      {refusal === undefined ? <List search={search} /> : <p>{refusal}.</p>}
    </div>
  );
}

interface SearchProps {
  readonly search: TracesSearch;
}

function Filters({ search }: SearchProps) {
  const navigate = useNavigate();
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const names = ['search', 'status', 'service', 'execution'];
    const entered = Object.fromEntries(names.map((name) => [name, textOf(data, name)]));
    void navigate({ to: '/traces', search: parseTracesSearch(entered) });
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-2">
      <TextField name="search" aria-keyshortcuts="/" label="Name contains" defaultValue={search.search} />
      <SelectField name="status" label="Status" options={STATUS_OPTIONS} defaultValue={search.status} />
      <TextField name="service" label="Service" defaultValue={search.service} />
      <TextField name="execution" label="Execution" defaultValue={search.execution} />
      <Button type="submit">Find</Button>
    </form>
  );
}

function List({ search }: SearchProps) {
  const list = useList(tracesQuery(useSession(), search));
  return (
    <PagedTable
      list={list}
      many="traces"
      columns={COLUMNS}
      addressOf={({ trace_id }) => `/traces/${trace_id}`}
      empty={<Nothing search={search} />}
    >
      {(
        { trace_id: id, name, service_name, status, started_at, duration_ms, span_count, error_count, ...usage },
        place,
      ) => (
        <Row
          key={id}
          place={place}
          head={
            <Link to="/traces/$id" params={{ id }} className="text-accent underline">
              {name}
            </Link>
          }
          cells={[
            service_name,
            status,
            <Time key="started" at={started_at} none="" />,
            nanosecondsText(duration_ms === null ? null : duration_ms * 1e6),
            span_count,
            error_count,
            amountText(usage.total_tokens),
            amountText(usage.cost),
            usage.models.join(', '),
          ]}
        />
      )}
    </PagedTable>
  );
}

function Nothing({ search }: SearchProps) {
  if (Object.keys(search).length > 0) {
    return (
      <>
        No trace matches.{' '}
        <Link to="/traces" search={{}} className="text-accent underline">
          Show all
        </Link>
      </>
    );
  }
  return (
    <>
      There are no traces yet. Executions make some; any OpenTelemetry exporter can send others to{' '}
      <code className="break-all">{window.location.origin}/v1/traces</code> with the header{' '}
      <code>Authorization: Bearer</code> and a key with the scope tasks:execute.
    </>
  );
}
