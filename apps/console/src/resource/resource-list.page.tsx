import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useList } from '../api/list';
import { useSession } from '../session/session-context';
import { Button } from '../ui/button';
import { CommandLines } from '../ui/command-lines';
import { PagedTable } from '../ui/paged-table';
import { usePageTitle } from '../ui/page-title';
import { Row } from '../ui/row';
import { SecretDialog } from '../ui/secret-dialog';
import { labelOf, type Values } from './form-values';
import { missingScope } from './missing-scope';
import type { Resource } from './resource';
import { ResourceDialog } from './resource-dialog';
import { resourcesQuery } from './resource.queries';

interface ResourceListPageProps<Thing extends Values> {
  readonly resource: Resource<Thing>;
}

/** The resources of one kind, and the way to a new one. */
export function ResourceListPage<Thing extends Values>({ resource }: ResourceListPageProps<Thing>) {
  const { many, one, path, create, secretOf, idOf, listCommands } = resource;
  usePageTitle(labelOf(many));
  const session = useSession();
  const navigate = useNavigate();
  const [isNew, setNew] = useState(false);
  const [made, setMade] = useState<Thing | null>(null);
  const refusal = missingScope(session, resource.readScope);
  const open = (row: Thing): void => void navigate({ to: `${path}/$id`, params: { id: idOf(row) } });
  const secret = made === null ? null : secretOf?.(made);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h1 className="text-xl font-semibold">{labelOf(many)}</h1>
        {create !== undefined && (
          <Button kind="primary" disabledReason={missingScope(session, create.form.scope)} onClick={() => setNew(true)}>
            New {one}
          </Button>
        )}
      </div>
      {refusal === undefined ? <List resource={resource} /> : <p>{refusal}.</p>}
      {listCommands !== undefined && <CommandLines lines={listCommands} />}
      {isNew && (
        <ResourceDialog
          resource={resource}
          onClose={() => setNew(false)}
          onSaved={(row) => {
            setNew(false);
            if (secretOf?.(row)) setMade(row);
            else open(row);
          }}
        />
      )}
      {made !== null && secret && (
        <SecretDialog title={secret.title} label={secret.label} value={secret.value} onClose={() => open(made)} />
      )}
    </div>
  );
}

function List<Thing extends Values>({ resource }: ResourceListPageProps<Thing>) {
  const { many, purpose, columns, path, nameOf, idOf } = resource;
  const list = useList(resourcesQuery(useSession(), resource));
  return (
    <PagedTable
      list={list}
      many={many}
      addressOf={(row) => `${path}/${encodeURIComponent(idOf(row))}`}
      columns={['Name', ...columns.map(({ label }) => label)]}
      empty={`There are no ${many} yet. ${purpose}`}
    >
      {(row, place) => (
        <Row
          key={idOf(row)}
          place={place}
          head={
            <Link to={`${path}/$id`} params={{ id: idOf(row) }} className="text-accent underline">
              {nameOf(row)}
            </Link>
          }
          cells={columns.map(({ cell }) => cell(row))}
        />
      )}
    </PagedTable>
  );
}
