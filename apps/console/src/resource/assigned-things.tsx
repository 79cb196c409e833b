import { useQuery, type UseMutationResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FormEvent, ReactNode } from 'react';
import type { List } from '../api/list';
import { useSession } from '../session/session-context';
import { Button } from '../ui/button';
import { FailurePanel } from '../ui/failure-panel';
import { textOf } from '../ui/form-data';
import { PagedTable } from '../ui/paged-table';
import { Row } from '../ui/row';
import { Section } from '../ui/section';
import { SelectField } from '../ui/select-field';
import { TextField } from '../ui/text-field';
import { missingScope } from './missing-scope';
import type { ChoicesQuery, Column, ResourcePath } from './resource';

/** A thing that belongs to another one. */
export interface Assigned {
  readonly id: string;
  readonly name: string;
}

interface AssignedThingsProps<Thing extends Assigned> {
  readonly title: string;
  /** What one is called: `agent`. */
  readonly one: string;
  readonly many: string;
  /** Address of the list of such things. */
  readonly path: ResourcePath;
  readonly empty: string;
  readonly list: List<Thing>;
  readonly columns: readonly Column<Thing>[];
  readonly choices: ChoicesQuery;
  readonly add: UseMutationResult<unknown, Error, string>;
  readonly remove: UseMutationResult<unknown, Error, string>;
  readonly children?: ReactNode;
}

/** What belongs to a thing, with the way to add one and to remove each. */
export function AssignedThings<Thing extends Assigned>(props: AssignedThingsProps<Thing>) {
  const { title, one, many, path, empty, list, columns, add, remove, children } = props;
  const disabledReason = missingScope(useSession(), 'agents:write');
  const error = add.error ?? remove.error;
  return (
    <Section title={title}>
      <PagedTable
        list={list}
        many={many}
        columns={['Name', ...columns.map(({ label }) => label), 'Actions']}
        empty={empty}
      >
        {(thing, place) => (
          <Row
            key={thing.id}
            place={place}
            head={
              <Link to={`${path}/$id`} params={{ id: thing.id }} className="text-accent underline">
                {thing.name}
              </Link>
            }
            cells={[
              ...columns.map(({ cell }) => cell(thing)),
              <Button
                key="remove"
                aria-label={`Remove ${thing.name}`}
                isBusy={remove.isPending}
                disabledReason={disabledReason}
                onClick={() => remove.mutate(thing.id)}
              >
                Remove
              </Button>,
            ]}
          />
        )}
      </PagedTable>
      {children}
      <NewOne {...props} disabledReason={disabledReason} one={one} />
      {error !== null && <FailurePanel error={error} />}
    </Section>
  );
}

type NewOneProps<Thing extends Assigned> = Pick<AssignedThingsProps<Thing>, 'one' | 'list' | 'choices' | 'add'> & {
  readonly disabledReason: string | undefined;
};

function NewOne<Thing extends Assigned>({ one, list, choices, add, disabledReason }: NewOneProps<Thing>) {
  const { data = [] } = useQuery(choices(useSession()));
  const present = new Set(list.items.map(({ id }) => id));
  const others = data?.filter(({ value }) => !present.has(value)) ?? null;
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    add.mutate(textOf(new FormData(event.currentTarget), one));
  };
  if (others?.length === 0) return null;
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-2">
      {others === null ? (
        <TextField name={one} label={`Id of a new ${one}`} required />
      ) : (
        <SelectField name={one} label={`New ${one}`} required options={others} />
      )}
      <Button type="submit" isBusy={add.isPending} disabledReason={disabledReason}>
        Add the {one}
      </Button>
    </form>
  );
}
