import { ConfirmDialog } from '../../ui/confirm-dialog';
import { useDeleteAgent, type Agent } from './agents.queries';

interface DeleteAgentDialogProps {
  readonly agent: Agent;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

export function DeleteAgentDialog({ agent, onClose, onDeleted }: DeleteAgentDialogProps) {
  const remove = useDeleteAgent();
  return (
    <ConfirmDialog
      title={`Delete the agent ${agent.name}?`}
      action="Delete the agent"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(agent.id, { onSuccess: onDeleted })}
      onClose={onClose}
    >
      <p>Jobs and workflows that run it fail from now on. Its executions are kept. This cannot be undone.</p>
    </ConfirmDialog>
  );
}
