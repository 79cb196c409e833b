import { Button } from '../../ui/button';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import type { Key } from './keys.queries';

interface KeyTableProps {
  readonly keys: readonly Key[];
  /** The key in use. */
  readonly ownId: string;
  readonly onRotate: (key: Key) => void;
  readonly onRevoke: (key: Key) => void;
}

const COLUMNS = ['Name', 'Scopes', 'Created', 'Last used', 'Expires', 'Actions'];

export function KeyTable({ keys, ownId, onRotate, onRevoke }: KeyTableProps) {
  return (
    <Table columns={COLUMNS}>
      {keys.map((key) => (
        <KeyRow key={key.id} shown={key} isOwn={key.id === ownId} onRotate={onRotate} onRevoke={onRevoke} />
      ))}
    </Table>
  );
}

interface KeyRowProps extends Pick<KeyTableProps, 'onRotate' | 'onRevoke'> {
  readonly shown: Key;
  readonly isOwn: boolean;
}

function KeyRow({ shown, isOwn, onRotate, onRevoke }: KeyRowProps) {
  return (
    <tr className="border-b border-hairline align-top last:border-0">
      <th scope="row" className="px-3 py-2 font-semibold">
        {shown.name}
        {isOwn && <span className="ml-2 text-sm font-normal text-accent">in use here</span>}
        {shown.description !== null && <p className="text-sm font-normal text-quiet">{shown.description}</p>}
      </th>
      <td className="px-3 py-2 text-sm">{shown.scopes.join(', ') || 'none'}</td>
      <td className="px-3 py-2">
        <Time at={shown.created_at} none="" />
        {shown.rotation_due && <p className="text-sm text-warning">{shown.age_days} days old: rotate it</p>}
      </td>
      <td className="px-3 py-2">
        <Time at={shown.last_used} none="never" />
      </td>
      <td className="px-3 py-2">
        <Time at={shown.expires_at} none="never" />
      </td>
      <td className="px-3 py-2 whitespace-nowrap">
        <Button kind="plain" aria-label={`Rotate ${shown.name}`} onClick={() => onRotate(shown)}>
          Rotate
        </Button>
        <Button kind="plain" aria-label={`Revoke ${shown.name}`} onClick={() => onRevoke(shown)}>
          Revoke
        </Button>
      </td>
    </tr>
  );
}
