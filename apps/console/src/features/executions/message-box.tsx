import type { FormEvent } from 'react';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { FailurePanel } from '../../ui/failure-panel';
import { textOf } from '../../ui/form-data';
import { TextField } from '../../ui/text-field';
import { isFinal } from './execution-state';
import { useSendMessage, type Execution } from './executions.queries';

/** Sends a message to a run, or the answer to its question. */
export function MessageBox({ execution }: { readonly execution: Execution }) {
  const { can } = useSession();
  const send = useSendMessage(execution.id);
  if (isFinal(execution.status)) return null;
  const isAsked = execution.status === 'waiting_for_input';
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    send.mutate(textOf(new FormData(form), 'message'), { onSuccess: () => form.reset() });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-2 rounded-md border border-hairline bg-surface p-3">
      {isAsked && <p className="text-waiting">The run waits for your answer.</p>}
      <TextField name="message" aria-keyshortcuts="m" label={isAsked ? 'Answer' : 'Message to the run'} required />
      {send.error !== null && <FailurePanel error={send.error} />}
      <Button
        type="submit"
        className="self-end"
        isBusy={send.isPending}
        disabledReason={can('tasks:execute') ? undefined : 'This takes the scope tasks:execute'}
      >
        Send
      </Button>
    </form>
  );
}
