import type { UseMutationResult } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { FormEvent, ReactNode } from 'react';
import { missingScope } from '../../resource/missing-scope';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { FailurePanel } from '../../ui/failure-panel';

interface RunFormProps<Input> {
  /** Resolves to the id of the execution. */
  readonly run: UseMutationResult<string, Error, Input>;
  readonly inputOf: (data: FormData) => Input;
  /** What happens, on the button. */
  readonly action: string;
  /** The fields. */
  readonly children: ReactNode;
  /** Which executions are those of the thing. */
  readonly others: { readonly entity: string } | { readonly job: string };
}

/** Starts something and goes to its execution. */
export function RunForm<Input>({ run, inputOf, action, children, others }: RunFormProps<Input>) {
  const session = useSession();
  const navigate = useNavigate();
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    run.mutate(inputOf(new FormData(event.currentTarget)), {
      onSuccess: (id) => void navigate({ to: '/executions/$id', params: { id } }),
    });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3 rounded-md border border-hairline bg-surface p-3">
      {children}
      {run.error !== null && <FailurePanel error={run.error} />}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Link to="/executions" search={others} className="text-accent underline">
          Its executions
        </Link>
        <Button
          type="submit"
          kind="primary"
          isBusy={run.isPending}
          disabledReason={missingScope(session, 'tasks:execute')}
        >
          {action}
        </Button>
      </div>
    </form>
  );
}
