import type { UseQueryResult } from '@tanstack/react-query';
import { FailurePanel } from './failure-panel';
import { Skeleton } from './skeleton';

interface AbsentPageProps {
  /** What the page is of, in the singular. */
  readonly one: string;
  readonly query: Pick<UseQueryResult, 'isPending' | 'error' | 'refetch'>;
}

/** Stands in the place of the page of a thing that is not there yet, or cannot be read. */
export function AbsentPage({ one, query }: AbsentPageProps) {
  const { isPending, error, refetch } = query;
  return (
    <div className="flex flex-col gap-4">
      <h1 className="text-xl font-semibold first-letter:uppercase">{one}</h1>
      {isPending ? (
        <Skeleton rows={8} label={`Loading the ${one}`} />
      ) : (
        <FailurePanel error={error} onRetry={() => void refetch()} />
      )}
    </div>
  );
}
