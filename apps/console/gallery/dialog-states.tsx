import { useState, type ReactNode } from 'react';
import { Button } from '../src/ui/button';
import { ConfirmDialog } from '../src/ui/confirm-dialog';
import { Dialog } from '../src/ui/dialog';
import { SecretDialog } from '../src/ui/secret-dialog';

/** A button that opens a window, as in the pages. */
function Opener({ label, children }: { readonly label: string; readonly children: (close: () => void) => ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      <Button onClick={() => setOpen(true)}>{label}</Button>
      {isOpen && children(() => setOpen(false))}
    </div>
  );
}

export function DialogState() {
  return (
    <Opener label="Open the dialog">
      {(close) => (
        <Dialog isOpen title="A dialog" closesOutside onClose={close}>
          <p>Text</p>
        </Dialog>
      )}
    </Opener>
  );
}

export function ConfirmState() {
  return (
    <Opener label="Open the question">
      {(close) => (
        <ConfirmDialog
          title="Delete the agent?"
          action="Delete the agent"
          isBusy={false}
          error={new Error('It is in use')}
          onConfirm={close}
          onClose={close}
        >
          <p>Its executions are kept.</p>
        </ConfirmDialog>
      )}
    </Opener>
  );
}

export function SecretState() {
  return (
    <Opener label="Open the secret">
      {(close) => <SecretDialog title="The key of the gallery" label="API key" value="ak_fixed" onClose={close} />}
    </Opener>
  );
}
