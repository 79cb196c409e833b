import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { FailurePanel } from '../../ui/failure-panel';
import { useSession } from '../../session/session-context';
import { useRevokeKey, type Key } from './keys.queries';

export function RevokeKeyDialog({ revoked, onClose }: { readonly revoked: Key; readonly onClose: () => void }) {
  const { facts } = useSession();
  const revoke = useRevokeKey();
  return (
    <Dialog isOpen title={`Revoke the key ${revoked.name}?`} onClose={onClose}>
      <p>Whoever uses it is refused within a second, and their streams end. This cannot be undone.</p>
      {facts.key_id === revoked.id && <p className="text-warning">You are signed in with this key.</p>}
      {revoke.error !== null && <FailurePanel error={revoke.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="danger"
          isBusy={revoke.isPending}
          onClick={() => revoke.mutate(revoked.id, { onSuccess: onClose })}
        >
          Revoke the key
        </Button>
      </div>
    </Dialog>
  );
}
