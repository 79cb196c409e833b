import type { ReactNode } from 'react';
import { Button } from './button';
import { Dialog } from './dialog';
import { FailurePanel } from './failure-panel';

interface ConfirmDialogProps {
  /** A question that names the thing. */
  readonly title: string;
  /** What the action does, on its button. */
  readonly action: string;
  readonly kind?: 'danger' | 'primary';
  readonly refusal?: string;
  readonly isBusy: boolean;
  /** Why the last attempt failed; null if there was none. */
  readonly error: Error | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  /** What happens then, in words. */
  readonly children: ReactNode;
}

/** Asks once before an action. It stays open until the server has answered. */
export function ConfirmDialog({ title, action, isBusy, error, onConfirm, onClose, ...rest }: ConfirmDialogProps) {
  const { kind = 'danger', refusal = 'Cancel', children } = rest;
  return (
    <Dialog isOpen title={title} onClose={onClose}>
      {children}
      {error !== null && <FailurePanel error={error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{refusal}</Button>
        <Button kind={kind} isBusy={isBusy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
