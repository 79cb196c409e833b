import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import { FailurePanel } from '../../ui/failure-panel';
import { actionsIn, type Action } from './execution-state';
import { useExecutionAction, type Execution } from './executions.queries';

const LABELS: Readonly<Record<Action, string>> = {
  pause: 'Pause',
  resume: 'Resume',
  cancel: 'Cancel',
  rerun: 'Run again',
};

const SHORTCUTS: Readonly<Record<Action, string>> = { pause: 'p', resume: 'p', cancel: 'c', rerun: 'r' };

/** The actions that the status allows. What has happened is shown when the server says it. */
export function ExecutionActions({ execution }: { readonly execution: Execution }) {
  const { can } = useSession();
  const navigate = useNavigate();
  const run = useExecutionAction(execution.id);
  const [isAsking, setAsking] = useState(false);
  const start = (action: Action): void => {
    setAsking(false);
    run.mutate(action, { onSuccess: (id) => void navigate({ to: '/executions/$id', params: { id } }) });
  };
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {actionsIn(execution.status).map((action) => (
          <Button
            key={action}
            aria-keyshortcuts={SHORTCUTS[action]}
            isBusy={run.isPending}
            disabledReason={can('tasks:execute') ? undefined : 'This takes the scope tasks:execute'}
            onClick={() => (action === 'cancel' ? setAsking(true) : start(action))}
          >
            {LABELS[action]}
          </Button>
        ))}
      </div>
      {run.error !== null && <FailurePanel error={run.error} />}
      {isAsking && (
        <ConfirmDialog
          title="Cancel this execution?"
          action="Cancel the execution"
          refusal="Let it run"
          isBusy={run.isPending}
          error={null}
          onConfirm={() => start('cancel')}
          onClose={() => setAsking(false)}
        >
          <p>It ends without a result, and what it has done so far stays done.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
