import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { useList } from '../../api/list';
import { agentChoices, environmentChoices, teamChoices } from '../../resource/choices';
import { missingScope } from '../../resource/missing-scope';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { FailurePanel } from '../../ui/failure-panel';
import { textOf } from '../../ui/form-data';
import { PagedTable } from '../../ui/paged-table';
import { Row } from '../../ui/row';
import { Section } from '../../ui/section';
import { SelectField } from '../../ui/select-field';
import { TextField } from '../../ui/text-field';
import { Table } from '../../ui/table';
import { associationsQuery, reachQuery, useAssociations, type NewAssociation, type Reach } from './policies.queries';

const COLUMNS = ['Applies to', 'Name', 'Enabled', 'Priority', 'Actions'];

/** Says on top of the page that the policy decides nothing yet, and leads to where that changes. */
export function PolicyReachesNothing({ policyId }: { readonly policyId: string }) {
  const { items, query } = useList(associationsQuery(useSession(), policyId));
  if (query.data === undefined || items.length > 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-2 text-warning">
      <p>It applies to nothing yet, so it decides nothing.</p>
      <Button onClick={() => document.getElementById(FORM_ID)?.querySelector('select')?.focus()}>
        Choose what it applies to
      </Button>
    </div>
  );
}

const FORM_ID = 'new-association';

/** What a policy decides about. */
export function PolicyReach({ policyId }: { readonly policyId: string }) {
  const session = useSession();
  const { add, remove } = useAssociations(policyId);
  const list = useList(associationsQuery(session, policyId));
  const reach = useQuery(reachQuery(session, policyId)).data;
  const names = new Map(reach?.associations.map(({ id, entity_name }) => [id, entity_name]));
  const disabledReason = missingScope(session, 'admin');
  const error = add.error ?? remove.error;
  return (
    <Section title="Applies to">
      <PagedTable list={list} many="associations" columns={COLUMNS} empty="It applies to nothing: it decides nothing.">
        {({ id, entity_type, entity_id, enabled, priority }, place) => (
          <Row
            key={id}
            place={place}
            head={entity_type}
            cells={[
              <Link
                key="name"
                to={`/${entity_type}s/$id`}
                params={{ id: entity_id }}
                className="break-all text-accent underline"
              >
                {names.get(id) ?? entity_id}
              </Link>,
              enabled ? 'yes' : 'no',
              priority,
              <Button
                key="remove"
                isBusy={remove.isPending}
                disabledReason={disabledReason}
                onClick={() => remove.mutate(id)}
              >
                Remove
              </Button>,
            ]}
          />
        )}
      </PagedTable>
      <NewAssociationForm isBusy={add.isPending} disabledReason={disabledReason} onAdd={add.mutate} />
      {error !== null && <FailurePanel error={error} />}
      {reach !== undefined && <Reached reach={reach} />}
    </Section>
  );
}

/** How many agents the policy reaches, and what it decided lately. */
export function ReachSummary({ reach: { agents, last_24h } }: { readonly reach: Reach }) {
  return (
    <p>
      It reaches {agents.total} {agents.total === 1 ? 'agent' : 'agents'}. In the last 24 hours it took part in{' '}
      {last_24h.decisions} decisions, of which {last_24h.denied} denied.
    </p>
  );
}

/** The agents to which the policy applies, by associations and otherwise. */
function Reached({ reach }: { readonly reach: Reach }) {
  const { agents } = reach;
  return (
    <>
      <ReachSummary reach={reach} />
      {agents.items.length > 0 && (
        <Table columns={['Agent', 'Reached by']}>
          {agents.items.map(({ id, name, via }) => (
            <Row
              key={id}
              head={
                <Link to="/agents/$id" params={{ id }} className="text-accent underline">
                  {name}
                </Link>
              }
              cells={[via.map((one) => `${one.entity_type} ${one.entity_name ?? one.entity_id}`).join(', ')]}
            />
          ))}
        </Table>
      )}
      {agents.total > agents.items.length && <p className="text-quiet">The first {agents.items.length} are shown.</p>}
    </>
  );
}

interface NewAssociationFormProps {
  readonly isBusy: boolean;
  readonly disabledReason: string | undefined;
  readonly onAdd: (association: NewAssociation) => void;
}

const KINDS = { agent: agentChoices, team: teamChoices, environment: environmentChoices } as const;
const KIND_OPTIONS = Object.keys(KINDS).map((kind) => ({ value: kind, label: kind }));

function NewAssociationForm({ isBusy, disabledReason, onAdd }: NewAssociationFormProps) {
  const [kind, setKind] = useState<keyof typeof KINDS>('agent');
  const { data } = useQuery(KINDS[kind](useSession()));
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    onAdd({ entity_type: kind, entity_id: textOf(new FormData(event.currentTarget), 'entity') });
  };
  return (
    <form id={FORM_ID} onSubmit={submit} className="flex flex-wrap items-end gap-2">
      <SelectField
        label="Kind"
        options={KIND_OPTIONS}
        value={kind}
        onChange={({ target }) => setKind(target.value as keyof typeof KINDS)}
      />
      {data ? (
        <SelectField name="entity" label="Name" required options={data} />
      ) : (
        <TextField name="entity" label="Id" required />
      )}
      <Button type="submit" isBusy={isBusy} disabledReason={disabledReason}>
        Apply the policy to it
      </Button>
      <p className="w-full text-sm text-quiet">To decide about a job, apply it to what the job runs.</p>
    </form>
  );
}
