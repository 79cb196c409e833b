import { useQuery } from '@tanstack/react-query';
import { CatchBoundary } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useSession } from '../../session/session-context';
import { durationText } from '../../ui/duration';
import { FailurePanel } from '../../ui/failure-panel';
import { PartFailure } from '../../ui/part-failure';
import { Skeleton } from '../../ui/skeleton';
import { Table } from '../../ui/table';
import { seriesQuery, type Series } from './overview.queries';
import type { Period } from './overview.search';
import { PlotEnds } from './plot-ends';
import { periodOfBars, selectionOn, type Selection, type SizedSelection } from './plot-selection';

/** The library of the plot is as large as the rest of the first page, so it comes after it. */
const EndedPlot = lazy(async () => ({ default: (await import('./ended-plot')).EndedPlot }));
const COLUMNS = ['From', 'Started', 'Completed', 'Failed', 'Cancelled', 'Terminated', 'Run time p95'];

interface EndedPlotSectionProps {
  readonly period: Period;
  /** Narrows the period of the page. */
  readonly onPeriod: (period: { readonly from: string; readonly to: string }) => void;
}

/** How executions ended over time, as a plot and as the same figures in a table. */
export function EndedPlotSection({ period, onPeriod }: EndedPlotSectionProps) {
  const { data, error, isPending, refetch } = useQuery(seriesQuery(useSession(), period));
  const [held, setHeld] = useState<SizedSelection | null>(null);
  const selection = data === undefined ? null : selectionOn(data, held);
  const select = (selected: Selection | null): void =>
    setHeld(data === undefined || selected === null ? null : { ...selected, bucketSeconds: data.bucket_seconds });
  const narrow = (selected: Selection): void => {
    setHeld(null);
    if (data !== undefined) onPeriod(periodOfBars(selected, data.bucket_seconds));
  };
  return (
    <section aria-labelledby="ended" className="flex flex-col gap-2">
      <h2 id="ended" className="font-semibold">
        How executions ended
      </h2>
      {isPending ? (
        <Skeleton rows={6} label="Loading the plot" />
      ) : data === undefined ? (
        <FailurePanel error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <CatchBoundary getResetKey={() => ''} errorComponent={PartFailure}>
            <Suspense fallback={<Skeleton rows={6} label="Loading the plot" />}>
              <EndedPlot buckets={data.buckets} selection={selection} onSelect={select} onSelected={narrow} />
            </Suspense>
          </CatchBoundary>
          <PlotEnds buckets={data.buckets} selection={selection} onSelect={select} onSelected={narrow} />
          <details>
            <summary className="text-sm text-quiet">The figures as a table</summary>
            <BucketTable buckets={data.buckets} />
          </details>
        </>
      )}
    </section>
  );
}

/** Parts of the period in which nothing happened are left out. */
function BucketTable({ buckets }: Pick<Series, 'buckets'>) {
  const busy = buckets.filter(
    ({ started, completed, failed, cancelled, terminated }) =>
      started + completed + failed + cancelled + terminated > 0,
  );
  return (
    <Table columns={COLUMNS} numbers={COLUMNS.slice(1)}>
      {busy.map(({ at, started, completed, failed, cancelled, terminated, run_p95_ms }) => (
        <tr key={at} className="border-b border-hairline last:border-0">
          <th scope="row" className="px-3 py-1 font-normal">
            {new Date(at).toLocaleString()}
          </th>
          {Object.entries({ started, completed, failed, cancelled, terminated }).map(([name, count]) => (
            <td key={name} className="px-3 py-1 text-right">
              {count}
            </td>
          ))}
          <td className="px-3 py-1 text-right">{run_p95_ms === null ? '' : durationText(run_p95_ms)}</td>
        </tr>
      ))}
    </Table>
  );
}
