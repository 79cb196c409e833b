import { useList } from '../../api/list';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { PagedTable } from '../../ui/paged-table';
import { Time } from '../../ui/time';
import type { RowPlace } from '../../ui/window-rows';
import { keysQuery, type Key } from './keys.queries';

interface KeyTableProps {
  readonly onRotate: (key: Key) => void;
  readonly onRevoke: (key: Key) => void;
}

const COLUMNS = ['Name', 'Scopes', 'Created', 'Last used', 'Expires', 'Actions'];

export function KeyTable(actions: KeyTableProps) {
  const session = useSession();
  const list = useList(keysQuery(session));
  const { key_id } = session.facts;
  return (
    <PagedTable list={list} many="keys" columns={COLUMNS} empty="There is no key.">
      {(key, place) => <KeyRow key={key.id} shown={key} place={place} isOwn={key.id === key_id} {...actions} />}
    </PagedTable>
  );
}

interface KeyRowProps extends KeyTableProps {
  readonly shown: Key;
  readonly place: RowPlace;
  /** It is the key in use. */
  readonly isOwn: boolean;
}

function KeyRow({ shown, place, isOwn, onRotate, onRevoke }: KeyRowProps) {
  return (
    <tr {...place} className="border-b border-hairline align-top last:border-0">
      <th scope="row" className="min-w-40 px-3 py-2 font-semibold">
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
