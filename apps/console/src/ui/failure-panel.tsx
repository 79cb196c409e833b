import { describeFailure } from '../api/failure';
import { Button } from './button';

/** Stands in the place of the part that failed. */
export function FailurePanel({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const { title, detail, status } = describeFailure(error);
  return (
    <div role="alert" className="flex flex-col items-start gap-2 rounded-md border border-danger bg-surface p-4">
      <p className="font-semibold text-danger">
        {title}
        {status !== null && ` (${status})`}
      </p>
      <p className="whitespace-pre-line">{detail}</p>
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}
