import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { agentChoices } from '../../resource/choices';
import { missingScope } from '../../resource/missing-scope';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { FailurePanel } from '../../ui/failure-panel';
import { textOf } from '../../ui/form-data';
import { Row } from '../../ui/row';
import { Section } from '../../ui/section';
import { SelectField } from '../../ui/select-field';
import { Table } from '../../ui/table';
import { TextAreaField } from '../../ui/text-area-field';
import { TextField } from '../../ui/text-field';
import { usePreviewTeam, useRunTeam, useTeamMembers, type Team } from './build.queries';
import { RunForm } from './run-form';
import { SkillsSection } from './skills-section';

/** Runs a team, and says who belongs to it. */
export function TeamParts({ row: team }: { readonly row: Team }) {
  return (
    <>
      <RunForm
        run={useRunTeam(team.id)}
        preview={usePreviewTeam(team.id)}
        inputOf={(data) => textOf(data, 'prompt')}
        action="Run"
        others={{ entity: team.id }}
      >
        <TextAreaField name="prompt" label="Prompt" required />
      </RunForm>
      <Members team={team} />
      <SkillsSection holder={{ kind: 'team', id: team.id }} />
    </>
  );
}

function Members({ team }: { readonly team: Team }) {
  const { add, remove } = useTeamMembers(team.id);
  const disabledReason = missingScope(useSession(), 'agents:write');
  const error = add.error ?? remove.error;
  return (
    <Section title="Members">
      {team.agents.length === 0 ? (
        <p>It has no agent yet: nothing can run.</p>
      ) : (
        <Table columns={['Agent', 'Description', 'Actions']}>
          {team.agents.map(({ id, name, description }) => (
            <Row
              key={id}
              head={
                <Link to="/agents/$id" params={{ id }} className="text-accent underline">
                  {name}
                </Link>
              }
              cells={[
                description,
                <Button
                  key="remove"
                  aria-label={`Remove ${name}`}
                  isBusy={remove.isPending}
                  disabledReason={disabledReason}
                  onClick={() => remove.mutate(id)}
                >
                  Remove
                </Button>,
              ]}
            />
          ))}
        </Table>
      )}
      <NewMember team={team} isBusy={add.isPending} disabledReason={disabledReason} onAdd={add.mutate} />
      {error !== null && <FailurePanel error={error} />}
    </Section>
  );
}

interface NewMemberProps {
  readonly team: Team;
  readonly isBusy: boolean;
  readonly disabledReason: string | undefined;
  readonly onAdd: (agentId: string) => void;
}

function NewMember({ team, isBusy, disabledReason, onAdd }: NewMemberProps) {
  const { data = [] } = useQuery(agentChoices(useSession()));
  const others = data?.filter(({ value }) => team.agents.every(({ id }) => id !== value)) ?? null;
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    onAdd(textOf(new FormData(event.currentTarget), 'agent'));
  };
  if (others?.length === 0) return null;
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-2">
      {others === null ? (
        <TextField name="agent" label="Id of an agent" required />
      ) : (
        <SelectField name="agent" label="Agent" required options={others} />
      )}
      <Button type="submit" isBusy={isBusy} disabledReason={disabledReason}>
        Add to the team
      </Button>
    </form>
  );
}
