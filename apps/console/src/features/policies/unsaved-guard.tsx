import { useBlocker } from '@tanstack/react-router';
import { ConfirmDialog } from '../../ui/confirm-dialog';

/** Asks a person who leaves the page with a source that is not stored. */
export function UnsavedGuard({ isUnsaved }: { readonly isUnsaved: boolean }) {
  const leaving = useBlocker({
    // The address of the same page changes with the input and the compared versions.
    shouldBlockFn: ({ current, next }) => isUnsaved && current.pathname !== next.pathname,
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
  if (leaving.status !== 'blocked') return null;
  return (
    <ConfirmDialog
      title="Leave without storing the source?"
      action="Leave"
      refusal="Stay"
      isBusy={false}
      error={null}
      onConfirm={leaving.proceed}
      onClose={leaving.reset}
    >
      <p>What you have changed is lost then.</p>
    </ConfirmDialog>
  );
}
