import { Button } from './button';

/** Stands in the place of a page or a part of one that cannot be shown, for example because an upgrade removed it. */
export function PartFailure() {
  return (
    <div role="alert" className="flex flex-col items-start gap-2 rounded-md border border-danger bg-surface p-4">
      <p className="font-semibold text-danger">This cannot be shown</p>
      <p>The platform may have a new version since this tab was opened. If so, loading the page again mends it.</p>
      <Button onClick={() => window.location.reload()}>Load the page again</Button>
    </div>
  );
}
