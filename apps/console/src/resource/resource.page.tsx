import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession } from '../session/session-context';
import { AbsentPage } from '../ui/absent-page';
import { Button } from '../ui/button';
import { CommandLines } from '../ui/command-lines';
import { ConfirmDialog } from '../ui/confirm-dialog';
import { usePageTitle } from '../ui/page-title';
import { labelOf, type Values } from './form-values';
import { missingScope } from './missing-scope';
import type { Resource } from './resource';
import { ResourceDialog } from './resource-dialog';
import { ResourceFacts } from './resource-facts';
import { resourceQuery, useDeleteResource } from './resource.queries';

interface ResourcePageProps<Row extends Values> {
  readonly resource: Resource<Row>;
}

/** One resource: what it is, and what can be done with it. */
export function ResourcePage<Row extends Values>({ resource }: ResourcePageProps<Row>) {
  const { id = '' } = useParams({ strict: false });
  const query = useQuery(resourceQuery(useSession(), resource, id));
  const { data } = query;
  usePageTitle(data === undefined ? labelOf(resource.one) : resource.nameOf(data));
  if (data === undefined) return <AbsentPage one={resource.one} query={query} />;
  return <Opened key={id} resource={resource} row={data} />;
}

interface RowProps<Row extends Values> extends ResourcePageProps<Row> {
  readonly row: Row;
}

function Opened<Row extends Values>({ resource, row }: RowProps<Row>) {
  const { update, removal, Parts, nameOf, idOf, factsOf, valuesOf, commandsOf, view } = resource;
  const session = useSession();
  const [open, setOpen] = useState<'change' | 'delete' | null>(null);
  const close = (): void => setOpen(null);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h1 className="min-w-0 text-xl font-semibold break-words">{nameOf(row)}</h1>
        <div className="flex gap-2">
          {update !== undefined && (
            <Button disabledReason={missingScope(session, update.form.scope)} onClick={() => setOpen('change')}>
              Change
            </Button>
          )}
          {removal !== undefined && (
            <Button disabledReason={missingScope(session, removal.scope)} onClick={() => setOpen('delete')}>
              Delete
            </Button>
          )}
        </div>
      </div>
      {Parts !== undefined && <Parts row={row} />}
      <section aria-labelledby="definition" className="flex flex-col gap-2">
        <h2 id="definition" className="font-semibold">
          {update === undefined ? 'Facts' : 'Definition'}
        </h2>
        <ResourceFacts
          id={idOf(row)}
          row={valuesOf?.(row) ?? row}
          fields={update?.form.fields ?? []}
          folded={view?.folded ?? []}
          others={factsOf?.(row) ?? []}
        />
      </section>
      {commandsOf !== undefined && <CommandLines lines={commandsOf(row)} />}
      {open === 'change' && <ResourceDialog resource={resource} row={row} onClose={close} onSaved={close} />}
      {open === 'delete' && <DeleteDialog resource={resource} row={row} onClose={close} />}
    </div>
  );
}

interface DeleteDialogProps<Row extends Values> extends RowProps<Row> {
  readonly onClose: () => void;
}

function DeleteDialog<Row extends Values>({ resource, row, onClose }: DeleteDialogProps<Row>) {
  const { one, path, removal, nameOf } = resource;
  const remove = useDeleteResource(resource);
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title={`Delete the ${one} ${nameOf(row)}?`}
      action={`Delete the ${one}`}
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(row, { onSuccess: () => void navigate({ to: path }) })}
      onClose={onClose}
    >
      <p>{removal?.effect} This cannot be undone.</p>
    </ConfirmDialog>
  );
}
