import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { FailurePanel } from '../../ui/failure-panel';
import { textOf } from '../../ui/form-data';
import { TextAreaField } from '../../ui/text-area-field';
import { AGENT_TEMPLATES } from './agent-templates';
import { useRunAgent, type Agent } from './agents.queries';

/** Starts the agent and goes to its execution. */
export function RunAgent({ agent }: { readonly agent: Agent }) {
  const { can } = useSession();
  const navigate = useNavigate();
  const run = useRunAgent(agent.id);
  const example = AGENT_TEMPLATES.find(({ systemPrompt }) => systemPrompt === agent.system_prompt);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    run.mutate(textOf(new FormData(event.currentTarget), 'prompt'), {
      onSuccess: (id) => void navigate({ to: '/executions/$id', params: { id } }),
    });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3 rounded-md border border-hairline bg-surface p-3">
      <TextAreaField name="prompt" label="Prompt" required defaultValue={example?.prompt ?? ''} />
      {run.error !== null && <FailurePanel error={run.error} />}
      <Button
        type="submit"
        kind="primary"
        className="self-end"
        isBusy={run.isPending}
        disabledReason={can('tasks:execute') ? undefined : 'This takes the scope tasks:execute'}
      >
        Run
      </Button>
    </form>
  );
}
