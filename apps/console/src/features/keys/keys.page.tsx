import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { CommandLines } from '../../ui/command-lines';
import { FailurePanel } from '../../ui/failure-panel';
import { usePageTitle } from '../../ui/page-title';
import { SecretDialog } from '../../ui/secret-dialog';
import { Skeleton } from '../../ui/skeleton';
import { KeyTable } from './key-table';
import { keysQuery, type Key, type MintedKey } from './keys.queries';
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
        <KeyList
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

interface KeyListProps {
  readonly onRotate: (key: Key) => void;
  readonly onRevoke: (key: Key) => void;
}

function KeyList(actions: KeyListProps) {
  const session = useSession();
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    keysQuery(session),
  );
  if (isPending) return <Skeleton rows={4} label="Loading the keys" />;
  if (data === undefined) return <FailurePanel error={error} onRetry={() => void refetch()} />;
  const keys = data.pages.flatMap((page) => page.keys);
  return (
    <>
      {error !== null && <FailurePanel error={error} onRetry={() => void refetch()} />}
      <KeyTable keys={keys} ownId={session.facts.key_id} {...actions} />
      {hasNextPage && (
        <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Older keys
        </Button>
      )}
    </>
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
