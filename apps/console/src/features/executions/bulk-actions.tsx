import { useState } from 'react';
import { missingScope } from '../../resource/missing-scope';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import { isFinal } from './execution-state';
import { useBulkAction, type BulkAction, type BulkResult, type Summary } from './executions.queries';

interface BulkActionsProps {
  /** Those that are shown. */
  readonly executions: readonly Summary[];
}

const RERUNNABLE: ReadonlySet<string> = new Set(['failed', 'cancelled', 'terminated']);

/** Cancels what is open, and repeats what did not succeed, of the executions that are shown. */
export function BulkActions({ executions }: BulkActionsProps) {
  const disabledReason = missingScope(useSession(), 'tasks:execute');
  const [asked, setAsked] = useState<BulkAction | null>(null);
  const bulk = useBulkAction();
  const ids: Readonly<Record<BulkAction, readonly string[]>> = {
    rerun: executions.filter(({ status }) => RERUNNABLE.has(status)).map(({ id }) => id),
    cancel: executions.filter(({ status }) => !isFinal(status)).map(({ id }) => id),
  };
  const act = (action: BulkAction): void =>
    bulk.mutate({ action, ids: ids[action] }, { onSuccess: () => setAsked(null) });
  return (
    <div className="flex flex-wrap items-center gap-2">
      {ids.rerun.length > 0 && (
        <Button disabledReason={disabledReason} onClick={() => setAsked('rerun')}>
          Run these {ids.rerun.length} again
        </Button>
      )}
      {ids.cancel.length > 0 && (
        <Button disabledReason={disabledReason} onClick={() => setAsked('cancel')}>
          Cancel these {ids.cancel.length}
        </Button>
      )}
      {bulk.data !== undefined && <output>{resultText(bulk.data)}</output>}
      {asked !== null && (
        <ConfirmDialog
          title={
            asked === 'rerun' ? `Run ${ids.rerun.length} executions again?` : `Cancel ${ids.cancel.length} executions?`
          }
          action={asked === 'rerun' ? 'Run them again' : 'Cancel them'}
          kind={asked === 'rerun' ? 'primary' : 'danger'}
          refusal="Leave them"
          isBusy={bulk.isPending}
          error={bulk.error}
          onConfirm={() => act(asked)}
          onClose={() => setAsked(null)}
        >
          <p>
            {asked === 'rerun'
              ? 'Each starts a new execution with the same input. What the first one did outside is done again.'
              : 'They end without a result, and what they have done so far stays done.'}
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}

/** Returns how many were accepted, and why the others were not. */
function resultText(results: readonly BulkResult[]): string {
  const refused = results.filter(({ ok }) => !ok);
  const reasons = [...new Set(refused.map(({ detail }) => detail ?? 'unknown'))].join('; ');
  const accepted = `${results.length - refused.length} done`;
  return refused.length === 0 ? accepted : `${accepted}, ${refused.length} refused: ${reasons}`;
}
