import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { FailurePanel } from '../../ui/failure-panel';
import { outcomeText } from './bulk-outcome';
import { countQuery, useBulkWalk, type BulkAction, type BulkWalk } from './bulk.queries';
import { BULK_TEXTS } from './bulk-texts';
import type { ExecutionsSearch } from './executions.search';

interface BulkWalkDialogProps {
  readonly action: BulkAction;
  /** Finds the executions, all of which allow the action. */
  readonly search: ExecutionsSearch;
  readonly onClose: () => void;
}

/** Asks before something is done to all executions that a filter finds, and shows how far it has come. */
export function BulkWalkDialog({ action, search, onClose }: BulkWalkDialogProps) {
  const { question, effect } = BULK_TEXTS[action];
  // The number of the question stays, whatever is done meanwhile.
  const { data: count, error } = useQuery(countQuery(useSession(), search));
  const [first, setFirst] = useState(count);
  if (first === undefined && count !== undefined) setFirst(count);
  const total = first && `${first.exact ? '' : 'more than '}${first.count.toLocaleString('en')}`;
  const walk = useBulkWalk(action, search);
  const { state, outcome } = walk;
  return (
    <Dialog
      isOpen
      title={question(total === undefined ? 'all that match' : `${total} executions`)}
      {...(state === 'walking' ? {} : { onClose })}
    >
      <p>{effect}</p>
      {error !== null && <FailurePanel error={error} />}
      {state !== 'ready' && <output>{outcomeText(outcome, state === 'done' ? undefined : total)}</output>}
      {walk.error !== null && <FailurePanel error={walk.error} />}
      <div className="flex flex-wrap items-center justify-end gap-2">
        {action === 'rerun' && state !== 'walking' && outcome.done > 0 && first !== undefined && (
          <Link to="/executions" search={{ from: first.at }} className="mr-auto text-accent underline">
            What was started
          </Link>
        )}
        <WalkButtons walk={walk} action={action} onClose={onClose} />
      </div>
    </Dialog>
  );
}

interface WalkButtonsProps {
  readonly walk: BulkWalk;
  readonly action: BulkAction;
  readonly onClose: () => void;
}

function WalkButtons({ walk: { state, walk, stop }, action, onClose }: WalkButtonsProps) {
  if (state === 'walking') return <Button onClick={stop}>Stop</Button>;
  if (state === 'done') return <Button onClick={onClose}>Close</Button>;
  return (
    <>
      <Button onClick={onClose}>{state === 'ready' ? 'Leave them' : 'Close'}</Button>
      <Button kind={action === 'cancel' ? 'danger' : 'primary'} onClick={walk}>
        {state === 'ready' ? BULK_TEXTS[action].action : 'Go on'}
      </Button>
    </>
  );
}
