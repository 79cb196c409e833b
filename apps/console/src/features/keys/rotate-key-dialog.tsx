import { useState } from 'react';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import { SelectField } from '../../ui/select-field';
import { useRotateKey, type Key, type MintedKey } from './keys.queries';

/** Seconds. */
const OVERLAPS = [
  { value: '3600', label: 'an hour' },
  { value: '86400', label: 'a day' },
  { value: '604800', label: 'a week' },
] as const;

interface RotateKeyDialogProps {
  readonly rotated: Key;
  readonly onClose: () => void;
  readonly onMinted: (key: MintedKey) => void;
}

export function RotateKeyDialog({ rotated, onClose, onMinted }: RotateKeyDialogProps) {
  const rotate = useRotateKey();
  const [overlap, setOverlap] = useState('86400');
  return (
    <ConfirmDialog
      title={`Rotate the key ${rotated.name}`}
      action="Rotate the key"
      kind="primary"
      isBusy={rotate.isPending}
      error={rotate.error}
      onConfirm={() => rotate.mutate({ keyId: rotated.id, overlapSeconds: Number(overlap) }, { onSuccess: onMinted })}
      onClose={onClose}
    >
      <p>A successor with the same scopes is created. Replace the old key while both are valid.</p>
      <SelectField
        label="The old key stays valid for"
        options={OVERLAPS}
        value={overlap}
        onChange={({ target }) => setOverlap(target.value)}
      />
    </ConfirmDialog>
  );
}
