import { useSession } from '../../session/session-context';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import { useRevokeKey, type Key } from './keys.queries';

export function RevokeKeyDialog({ revoked, onClose }: { readonly revoked: Key; readonly onClose: () => void }) {
  const { facts } = useSession();
  const revoke = useRevokeKey();
  return (
    <ConfirmDialog
      title={`Revoke the key ${revoked.name}?`}
      action="Revoke the key"
      isBusy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate(revoked.id, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>Whoever uses it is refused within a second, and their streams end. This cannot be undone.</p>
      {facts.key_id === revoked.id && <p className="text-warning">You are signed in with this key.</p>}
    </ConfirmDialog>
  );
}
