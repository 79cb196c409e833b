import { useState } from 'react';
import { missingScope } from '../../resource/missing-scope';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import { outcomeText } from './bulk-outcome';
import { BULK_TEXTS } from './bulk-texts';
import { BulkWalkDialog } from './bulk-walk-dialog';
import { bulkRequest, useBulkAction, type BulkAction, type BulkRequest } from './bulk.queries';
import { BULK_STATUSES } from './execution-state';
import type { Summary } from './executions.queries';
import { narrowedTo, type ExecutionsSearch } from './executions.search';

interface BulkActionsProps {
  /** Those that are shown, or chosen. */
  readonly executions: readonly Summary[];
  /** Finds more than is shown; absent if it does not. */
  readonly search?: ExecutionsSearch | undefined;
}

const ACTIONS = ['rerun', 'cancel'] as const satisfies readonly BulkAction[];

/** Repeats what did not succeed, and cancels what is open, of the executions that are shown or of all that match. */
export function BulkActions({ executions, search }: BulkActionsProps) {
  const session = useSession();
  const [asked, setAsked] = useState<BulkRequest | null>(null);
  const [walked, setWalked] = useState<{ readonly action: BulkAction; readonly search: ExecutionsSearch } | null>(null);
  const bulk = useBulkAction();
  const ids = {
    rerun: executions.filter(({ status }) => BULK_STATUSES.rerun.includes(status)).map(({ id }) => id),
    cancel: executions.filter(({ status }) => BULK_STATUSES.cancel.includes(status)).map(({ id }) => id),
  };
  const askAllOf = (action: BulkAction): (() => void) | undefined => {
    const narrowed = search === undefined ? undefined : narrowedTo(search, BULK_STATUSES[action]);
    return narrowed === undefined ? undefined : () => setWalked({ action, search: narrowed });
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      {ACTIONS.map((action) => (
        <ActionButtons
          key={action}
          action={action}
          count={ids[action].length}
          onAsk={() => setAsked(bulkRequest(session, action, ids[action]))}
          onAskAll={askAllOf(action)}
        />
      ))}
      {bulk.data !== undefined && <output>{outcomeText(bulk.data)}</output>}
      {asked !== null && (
        <ConfirmDialog
          title={BULK_TEXTS[asked.action].question(`${asked.count} executions`)}
          action={BULK_TEXTS[asked.action].action}
          kind={asked.action === 'rerun' ? 'primary' : 'danger'}
          refusal="Leave them"
          isBusy={bulk.isPending}
          error={bulk.error}
          onConfirm={() => bulk.mutate(asked, { onSuccess: () => setAsked(null) })}
          onClose={() => setAsked(null)}
        >
          <p>{BULK_TEXTS[asked.action].effect}</p>
        </ConfirmDialog>
      )}
      {walked !== null && <BulkWalkDialog {...walked} onClose={() => setWalked(null)} />}
    </div>
  );
}

interface ActionButtonsProps {
  readonly action: BulkAction;
  readonly count: number;
  readonly onAsk: () => void;
  /** Absent: there are no others that match. */
  readonly onAskAll: (() => void) | undefined;
}

const LABELS = {
  rerun: { shown: (count: number) => `Run these ${count} again`, all: 'Run all that match again' },
  cancel: { shown: (count: number) => `Cancel these ${count}`, all: 'Cancel all that match' },
} as const;

function ActionButtons({ action, count, onAsk, onAskAll }: ActionButtonsProps) {
  const disabledReason = missingScope(useSession(), 'tasks:execute');
  if (count === 0) return null;
  return (
    <>
      <Button disabledReason={disabledReason} onClick={onAsk}>
        {LABELS[action].shown(count)}
      </Button>
      {onAskAll !== undefined && (
        <Button disabledReason={disabledReason} onClick={onAskAll}>
          {LABELS[action].all}
        </Button>
      )}
    </>
  );
}
