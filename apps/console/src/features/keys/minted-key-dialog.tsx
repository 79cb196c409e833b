import { Button } from '../../ui/button';
import { CopyButton } from '../../ui/copy-button';
import { Dialog } from '../../ui/dialog';
import type { MintedKey } from './keys.queries';

const FIELD = 'minted-key';

/** Shows a new key, which nobody can see again. Only its own button closes the dialog. */
export function MintedKeyDialog({ minted, onClose }: { readonly minted: MintedKey; readonly onClose: () => void }) {
  return (
    <Dialog isOpen title={`The key ${minted.name}`}>
      <p>Store this key now: it is not shown again.</p>
      <div className="flex gap-2">
        <input
          id={FIELD}
          aria-label="API key"
          readOnly
          value={minted.key}
          className="h-8 min-w-0 flex-1 rounded-sm border border-edge bg-sunken px-2 font-mono"
        />
        <CopyButton text={minted.key} fieldId={FIELD} />
      </div>
      <Button kind="primary" onClick={onClose}>
        I have stored it
      </Button>
    </Dialog>
  );
}
