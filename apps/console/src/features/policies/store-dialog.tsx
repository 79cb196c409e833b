import { useQuery } from '@tanstack/react-query';
import { isOutdated, type Tagged } from '../../api/entity-tag';
import { missingScope } from '../../resource/missing-scope';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { CodeChanges } from '../../ui/code-changes';
import { Dialog } from '../../ui/dialog';
import { FailurePanel } from '../../ui/failure-panel';
import { backtestQuery, reachQuery, useSaveSource, type Policy } from './policies.queries';
import { BacktestOutcome } from './policy-backtest';
import { ReachSummary } from './policy-reach';

interface StoreDialogProps {
  readonly title: string;
  /** What the source replaces, as the person saw it. */
  readonly over: Tagged<Policy>;
  readonly content: string;
  /** Also after a refusal because somebody else stored another version. */
  readonly onClose: () => void;
  readonly onStored: () => void;
}

/** Asks before a source is stored: what differs, whom it reaches, and what it would have decided lately. */
export function StoreDialog({ title, over, content, onClose, onStored }: StoreDialogProps) {
  const save = useSaveSource(over.id);
  const store = (): void =>
    save.mutate(
      { content, tag: over.entity_tag },
      {
        onSuccess: () => {
          onClose();
          onStored();
        },
        onError: (error) => {
          if (isOutdated(error)) onClose();
        },
      },
    );
  return (
    <Dialog isOpen isWide title={title} onClose={onClose}>
      <CodeChanges label="Changes" language="rego" before={over.policy_content} after={content} />
      <Effects policyId={over.id} content={content} />
      {save.error !== null && !isOutdated(save.error) && <FailurePanel error={save.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Back</Button>
        <Button kind="primary" isBusy={save.isPending} onClick={store}>
          Store it
        </Button>
      </div>
    </Dialog>
  );
}

function Effects({ policyId, content }: Pick<StoreDialogProps, 'content'> & { readonly policyId: string }) {
  const session = useSession();
  const reach = useQuery(reachQuery(session, policyId));
  const backtest = useQuery(backtestQuery(session, policyId, content));
  const refusal = missingScope(session, 'agents:read') ?? missingScope(session, 'tasks:read');
  const error = reach.error ?? backtest.error;
  return (
    <>
      {reach.data !== undefined && <ReachSummary reach={reach.data} />}
      {backtest.isFetching && <p className="text-quiet">Trying recent decisions…</p>}
      {backtest.data !== undefined && <BacktestOutcome outcome={backtest.data} />}
      {refusal !== undefined && <p className="text-quiet">What it would do to recent decisions: {refusal}.</p>}
      {error !== null && <FailurePanel error={error} />}
    </>
  );
}
