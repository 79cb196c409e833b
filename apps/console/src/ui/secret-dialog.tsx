import { Button } from './button';
import { CopyButton } from './copy-button';
import { Dialog } from './dialog';

interface SecretDialogProps {
  readonly title: string;
  /** What it is, in a word or two. */
  readonly label: string;
  readonly value: string;
  readonly onClose: () => void;
}

const FIELD = 'secret';

/** Shows a secret that nobody can see again. Only its own button closes the dialog. */
export function SecretDialog({ title, label, value, onClose }: SecretDialogProps) {
  return (
    <Dialog isOpen title={title}>
      <p>Store it now: it is not shown again.</p>
      <div className="flex gap-2">
        <input
          id={FIELD}
          aria-label={label}
          readOnly
          value={value}
          className="h-8 min-w-0 flex-1 rounded-sm border border-edge bg-sunken px-2 font-mono"
        />
        <CopyButton text={value} fieldId={FIELD} />
      </div>
      <Button kind="primary" onClick={onClose}>
        I have stored it
      </Button>
    </Dialog>
  );
}
