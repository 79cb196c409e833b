import { useState, type FormEvent } from 'react';
import { missingScope } from '../../resource/missing-scope';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { FailurePanel } from '../../ui/failure-panel';
import { Section } from '../../ui/section';
import { TextAreaField } from '../../ui/text-area-field';
import { useSaveSource, useTrial, type Policy, type Validation } from './policies.queries';

const EXAMPLE_INPUT = JSON.stringify({ action: 'execute', prompt: 'Write a greeting.' }, null, 2);

/** The source of a policy, which is tried with an input before it is stored. */
export function PolicyEditor({ policy }: { readonly policy: Policy }) {
  const session = useSession();
  // An untouched text follows the server; one that a person has changed stays, whatever others store meanwhile.
  const [draft, setDraft] = useState<{ readonly text: string; readonly of: number } | null>(null);
  const content = draft?.text ?? policy.policy_content;
  const [input, setInput] = useState(EXAMPLE_INPUT);
  const [inputFault, setInputFault] = useState<string>();
  const trial = useTrial(policy.id);
  const save = useSaveSource(policy.id);
  const attempt = (event: FormEvent): void => {
    event.preventDefault();
    try {
      const parsed = input.trim() === '' ? {} : { input: JSON.parse(input) as Record<string, unknown> };
      setInputFault(undefined);
      trial.mutate({ content, ...parsed });
    } catch (error) {
      setInputFault(`This is not JSON: ${(error as Error).message}`);
    }
  };
  return (
    <Section title="Source">
      <form onSubmit={attempt} className="flex flex-col gap-3">
        <TextAreaField
          label="Rego"
          rows={16}
          className="font-mono text-sm"
          value={content}
          onChange={({ target }) => setDraft({ text: target.value, of: draft?.of ?? policy.version })}
        />
        <TextAreaField
          label="Input of the trial"
          help="What an execution would ask, as JSON. Empty: the source is only compiled."
          fault={inputFault}
          rows={6}
          className="font-mono text-sm"
          value={input}
          onChange={({ target }) => setInput(target.value)}
        />
        {draft !== null && draft.of !== policy.version && <StoredMeanwhile version={policy.version} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button type="submit" isBusy={trial.isPending} disabledReason={missingScope(session, 'agents:read')}>
            Try it
          </Button>
          <Button
            kind="primary"
            isBusy={save.isPending}
            disabledReason={
              missingScope(session, 'admin') ?? (content === policy.policy_content ? 'Nothing was changed' : undefined)
            }
            onClick={() => save.mutate(content, { onSuccess: () => setDraft(null) })}
          >
            Save the source
          </Button>
        </div>
      </form>
      {trial.error !== null && <FailurePanel error={trial.error} />}
      {save.error !== null && <FailurePanel error={save.error} />}
      {trial.data !== undefined && <Verdict validation={trial.data} />}
    </Section>
  );
}

function StoredMeanwhile({ version }: { readonly version: number }) {
  return (
    <p role="alert" className="text-warning">
      Version {version} was stored meanwhile. Saving replaces it; its source is below.
    </p>
  );
}

function Verdict({ validation: { valid, errors, warnings, result } }: { readonly validation: Validation }) {
  return (
    <output className="flex flex-col gap-1 rounded-md border border-hairline bg-surface p-3">
      <span className="font-semibold">
        {!valid ? 'It does not compile' : result === null ? 'It compiles' : result.allowed ? 'Allowed' : 'Denied'}
      </span>
      {errors.map(({ line, column, message }) => (
        <span key={`${line}:${column}:${message}`} className="text-danger">
          Line {line}, column {column}: {message}
        </span>
      ))}
      {warnings.map((warning) => (
        <span key={warning} className="text-warning">
          {warning}
        </span>
      ))}
      {result?.violations.map((violation) => (
        <span key={violation}>{violation}</span>
      ))}
    </output>
  );
}
