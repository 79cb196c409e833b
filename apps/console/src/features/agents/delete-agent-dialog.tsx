import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { FailurePanel } from '../../ui/failure-panel';
import { useDeleteAgent, type Agent } from './agents.queries';

interface DeleteAgentDialogProps {
  readonly agent: Agent;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

export function DeleteAgentDialog({ agent, onClose, onDeleted }: DeleteAgentDialogProps) {
  const remove = useDeleteAgent();
  return (
    <Dialog isOpen title={`Delete the agent ${agent.name}?`} onClose={onClose}>
      <p>Jobs and workflows that run it fail from now on. Its executions are kept. This cannot be undone.</p>
      {remove.error !== null && <FailurePanel error={remove.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="danger"
          isBusy={remove.isPending}
          onClick={() => remove.mutate(agent.id, { onSuccess: onDeleted })}
        >
          Delete the agent
        </Button>
      </div>
    </Dialog>
  );
}
