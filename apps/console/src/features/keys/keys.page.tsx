import { useState } from 'react';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { CommandLines } from '../../ui/command-lines';
import { usePageTitle } from '../../ui/page-title';
import { SecretDialog } from '../../ui/secret-dialog';
import { KeyTable } from './key-table';
import type { Key, MintedKey } from './keys.queries';
import { NewKeyDialog } from './new-key-dialog';
import { RevokeKeyDialog } from './revoke-key-dialog';
import { RotateKeyDialog } from './rotate-key-dialog';

type Open =
  | { readonly dialog: 'new' }
  | { readonly dialog: 'rotate' | 'revoke'; readonly key: Key }
  | { readonly dialog: 'minted'; readonly key: MintedKey };

const COMMANDS = [{ does: 'Change the limits of a key, and what it is called', command: 'agentctl keys edit KEY_ID' }];
const NEEDS_ADMIN = 'This takes the scope admin';

/** Which keys exist, what they can do, which are old; creates, rotates and revokes them. */
export function KeysPage() {
  usePageTitle('API keys');
  const { can, facts } = useSession();
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  const isAdmin = can('admin');
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h1 className="text-xl font-semibold">API keys</h1>
        <Button
          kind="primary"
          disabledReason={isAdmin ? undefined : NEEDS_ADMIN}
          disabled={!facts.platform_api}
          onClick={() => setOpen({ dialog: 'new' })}
        >
          New key
        </Button>
      </div>
      {!isAdmin && (
        <p>
          {NEEDS_ADMIN}: your key has {facts.scopes.join(', ') || 'no scopes'}.
        </p>
      )}
      {isAdmin && !facts.platform_api && <WithoutPlatformApi />}
      {isAdmin && facts.platform_api && (
        <KeyTable
          onRotate={(key) => setOpen({ dialog: 'rotate', key })}
          onRevoke={(key) => setOpen({ dialog: 'revoke', key })}
        />
      )}
      <CommandLines lines={COMMANDS} />
      {open?.dialog === 'new' && (
        <NewKeyDialog onClose={close} onMinted={(key) => setOpen({ dialog: 'minted', key })} />
      )}
      {open?.dialog === 'minted' && (
        <SecretDialog title={`The key ${open.key.name}`} label="API key" value={open.key.key} onClose={close} />
      )}
      {open?.dialog === 'rotate' && (
        <RotateKeyDialog rotated={open.key} onClose={close} onMinted={(key) => setOpen({ dialog: 'minted', key })} />
      )}
      {open?.dialog === 'revoke' && <RevokeKeyDialog revoked={open.key} onClose={close} />}
    </div>
  );
}

function WithoutPlatformApi() {
  return (
    <p>
      Keys are managed through the platform API, whose address the control plane does not know (
      <code className="font-mono">PLATFORM_API_URL</code>). On the command line:{' '}
      <code className="font-mono">npm run --silent admin -- create-key --org default --name NAME --scopes SCOPES</code>
    </p>
  );
}
