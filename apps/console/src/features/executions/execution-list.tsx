import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useList, type List } from '../../api/list';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { durationText } from '../../ui/duration';
import { FailurePanel } from '../../ui/failure-panel';
import { ListEnds } from '../../ui/list-ends';
import { Skeleton } from '../../ui/skeleton';
import { Status } from '../../ui/status';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { WindowRows, type RowPlace } from '../../ui/window-rows';
import { BulkActions } from './bulk-actions';
import { executionsQuery, filtersOf, type Summary } from './executions.queries';
import type { ExecutionsSearch } from './executions.search';

interface ExecutionListProps {
  readonly search: ExecutionsSearch;
  readonly onReset: () => void;
  /** Stands there when there is none. Absent: that the filters match nothing. */
  readonly empty?: string | undefined;
}

/** What is selected, and what was done to it, belongs to one search: nothing is done to rows that are filtered out. */
export function ExecutionList(props: ExecutionListProps) {
  return <OneList key={JSON.stringify(filtersOf(props.search))} {...props} />;
}

function OneList({ search, onReset, empty }: ExecutionListProps) {
  const session = useSession();
  const [selected, setSelected] = useState<ReadonlyMap<string, Summary>>(new Map());
  const list = useList(executionsQuery(session, search));
  const { items: executions, query } = list;
  const { data, error, hasNextPage, hasPreviousPage, isPending, refetch } = query;
  if (isPending) return <Skeleton rows={8} label="Loading the executions" />;
  if (data === undefined) return <FailurePanel error={error} onRetry={() => void refetch()} />;
  const isComplete = !hasNextPage && !hasPreviousPage;
  // As they are now; those that are no longer in memory, as they were.
  const now = new Map(executions.map((execution) => [execution.id, execution]));
  const chosen = [...selected.values()].map((execution) => now.get(execution.id) ?? execution);
  const select = (execution: Summary, isSelected: boolean): void =>
    setSelected((before) => {
      const others = [...before].filter(([id]) => id !== execution.id);
      return new Map(isSelected ? [...others, [execution.id, execution]] : others);
    });
  return (
    <>
      {error !== null && <FailurePanel error={error} onRetry={() => void refetch()} />}
      {(Object.keys(search).length > 0 || chosen.length > 0) && (
        <BulkActions
          executions={chosen.length > 0 ? chosen : executions}
          search={chosen.length > 0 || isComplete ? undefined : search}
        />
      )}
      {executions.length === 0 ? (
        <Nothing search={search} onReset={onReset} empty={empty} />
      ) : (
        <Rows list={list} search={search} selected={selected} onSelect={select} />
      )}
      <ListEnds list={list} many="executions" />
    </>
  );
}

function Nothing({ search, onReset, empty }: ExecutionListProps) {
  if (empty !== undefined) return <p>{empty}</p>;
  if (Object.keys(search).length > 0) {
    return (
      <div className="flex flex-col items-start gap-2">
        <p>No execution matches these filters.</p>
        <Button onClick={onReset}>Remove the filters</Button>
      </div>
    );
  }
  return (
    <p>
      Nothing has run yet. Start something: <code className="font-mono">agentctl run agent AGENT PROMPT</code>
    </p>
  );
}

const COLUMNS = ['Status', 'Name', 'Started by', 'Created', 'Ran', 'Tokens', 'Error', 'Selected'];
const NUMBERS = ['Tokens'];

interface RowsProps extends Pick<ExecutionListProps, 'search'> {
  readonly list: List<Summary>;
  readonly selected: ReadonlyMap<string, Summary>;
  readonly onSelect: (execution: Summary, isSelected: boolean) => void;
}

function Rows({ list, search, selected, onSelect }: RowsProps) {
  return (
    <Table columns={COLUMNS} numbers={NUMBERS}>
      <WindowRows {...list} addressOf={({ id }) => `/executions/${id}`}>
        {(execution, place) => (
          <Row
            key={execution.id}
            execution={execution}
            search={search}
            place={place}
            isSelected={selected.has(execution.id)}
            onSelect={(isSelected) => onSelect(execution, isSelected)}
          />
        )}
      </WindowRows>
    </Table>
  );
}

interface RowProps extends Pick<ExecutionListProps, 'search'> {
  readonly execution: Summary;
  readonly place: RowPlace;
  readonly isSelected: boolean;
  readonly onSelect: (isSelected: boolean) => void;
}

function Row({ execution, search, place, isSelected, onSelect }: RowProps) {
  const { id, status, entity_name, execution_type, trigger_type, created_at, duration_ms, total_tokens } = execution;
  return (
    <tr {...place} className="border-b border-hairline align-top last:border-0">
      <td className="px-3 py-2">
        <Status of={status} />
        {execution.attempt > 1 && (
          <p className="text-sm text-quiet">
            attempt {execution.attempt} of {execution.max_attempts}
          </p>
        )}
      </td>
      <th scope="row" className="px-3 py-2 font-semibold">
        <Link to="/executions/$id" params={{ id }} className="text-accent underline">
          {entity_name ?? execution_type}
        </Link>
      </th>
      <td className="px-3 py-2">{trigger_type ?? 'a client'}</td>
      <td className="px-3 py-2 whitespace-nowrap">
        <Time at={created_at} none="" />
      </td>
      <td className="px-3 py-2 whitespace-nowrap">{duration_ms === null ? '' : durationText(duration_ms)}</td>
      <td className="px-3 py-2 text-right">{total_tokens ?? ''}</td>
      <td className="max-w-[360px] truncate px-3 py-2 text-danger" title={execution.error_message ?? undefined}>
        <ErrorText execution={execution} search={search} />
      </td>
      <td className="px-3 py-2 text-center">
        <input
          type="checkbox"
          className="size-6"
          aria-label={`Select ${entity_name ?? execution_type}`}
          checked={isSelected}
          onChange={({ target }) => onSelect(target.checked)}
        />
      </td>
    </tr>
  );
}

/** The first line of an error, which leads to the executions on this list that failed of the same cause. */
function ErrorText({ execution, search }: Pick<RowProps, 'execution' | 'search'>) {
  const { error_message, cause } = execution;
  const line = error_message?.split('\n')[0];
  if (cause === null || cause === search.cause) return line;
  return (
    <Link to="/executions" search={{ ...search, cause }} className="underline">
      {line}
    </Link>
  );
}
