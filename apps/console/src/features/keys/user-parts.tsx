import type { PlatformApiComponents } from '@app/api-client';
import { useState } from 'react';
import { missingScope } from '../../resource/missing-scope';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { SecretDialog } from '../../ui/secret-dialog';
import type { MintedKey } from './keys.queries';
import { NewKeyDialog } from './new-key-dialog';

interface UserPartsProps {
  readonly row: PlatformApiComponents['schemas']['UserResponse'];
}

/** Creates a key with which a person or a service acts as the user. */
export function UserParts({ row: { id, name, status } }: UserPartsProps) {
  const session = useSession();
  const [isOpen, setOpen] = useState(false);
  const [minted, setMinted] = useState<MintedKey | null>(null);
  const suspended = status === 'suspended' ? 'The keys of a suspended user are rejected' : undefined;
  const open = (key: MintedKey): void => {
    setOpen(false);
    setMinted(key);
  };
  return (
    <div>
      <Button disabledReason={missingScope(session, 'admin') ?? suspended} onClick={() => setOpen(true)}>
        New key for this user
      </Button>
      {isOpen && <NewKeyDialog user={{ id, name }} onClose={() => setOpen(false)} onMinted={open} />}
      {minted !== null && (
        <SecretDialog
          title={`The key ${minted.name}`}
          label="API key"
          value={minted.key}
          onClose={() => setMinted(null)}
        />
      )}
    </div>
  );
}
