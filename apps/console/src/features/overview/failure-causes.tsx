import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useSession } from '../../session/session-context';
import { FailurePanel } from '../../ui/failure-panel';
import { Skeleton } from '../../ui/skeleton';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { failuresQuery, type FailureGroup, type Failures } from './overview.queries';
import type { Period } from './overview.search';

const COLUMNS = ['Cause', 'Failures', 'Before', 'First', 'Last', 'Most in', 'Newest'];
const NUMBERS = ['Failures', 'Before'];

/** What failed, by cause: twenty failures are often one. */
export function FailureCauses({ period }: { readonly period: Period }) {
  const { data, error, isPending, refetch } = useQuery(failuresQuery(useSession(), period));
  return (
    <section aria-labelledby="causes" className="flex flex-col gap-2">
      <h2 id="causes" className="font-semibold">
        What failed, by cause
      </h2>
      {isPending ? (
        <Skeleton rows={3} label="Loading the causes" />
      ) : data === undefined ? (
        <FailurePanel error={error} onRetry={() => void refetch()} />
      ) : data.groups.length === 0 ? (
        <p>Nothing failed in this period.</p>
      ) : (
        <>
          <Table columns={COLUMNS} numbers={NUMBERS}>
            {data.groups.map((group) => (
              <Row key={group.cause} group={group} period={period} />
            ))}
          </Table>
          <OtherCauses failures={data} />
        </>
      )}
    </section>
  );
}

/** How many failures are in none of the groups, of which only the largest are read. */
function OtherCauses({ failures: { failed, groups } }: { readonly failures: Failures }) {
  const others = groups.reduce((rest, { count }) => rest - count, failed);
  const text =
    others === 1 ? '1 failure has another cause.' : `${others.toLocaleString('en')} failures have other causes.`;
  return others > 0 && <p className="text-sm text-quiet">{text}</p>;
}

function Row({ group, period }: { readonly group: FailureGroup; readonly period: Period }) {
  const { cause, title, kind, example, count, count_before, first_at, last_at, entities, last_execution_id } = group;
  const newest = example?.trimStart().split('\n')[0] ?? '';
  // The title leaves out what differs between the failures, so a person needs one of them beside it.
  const isExample = newest !== '' && newest.trim() !== title;
  return (
    <tr className="border-b border-hairline align-top last:border-0">
      <th scope="row" className="max-w-[420px] min-w-[240px] px-3 py-2 font-normal">
        <Link
          to="/executions"
          search={{ cause, order: 'ended', from: period.from, to: period.to }}
          className="break-words text-accent underline"
        >
          {title}
        </Link>
        {isExample && <p className="break-words">such as {newest}</p>}
        <p className="text-sm text-quiet">
          {kind.replaceAll('_', ' ')}
          {count_before === 0 && <span className="ml-2 font-semibold text-danger">new</span>}
        </p>
      </th>
      <td className="px-3 py-2 text-right">{count}</td>
      <td className="px-3 py-2 text-right">{count_before}</td>
      <td className="px-3 py-2 whitespace-nowrap">
        <Time at={first_at} none="" />
      </td>
      <td className="px-3 py-2 whitespace-nowrap">
        <Time at={last_at} none="" />
      </td>
      <td className="px-3 py-2 text-sm">
        {entities.map(({ name, count: n }) => `${name ?? 'unnamed'} ${n}`).join(', ')}
      </td>
      <td className="px-3 py-2">
        <Link to="/executions/$id" params={{ id: last_execution_id }} className="text-accent underline">
          open
        </Link>
      </td>
    </tr>
  );
}
