import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { missingScope } from '../../resource/missing-scope';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { FailurePanel } from '../../ui/failure-panel';
import { Section } from '../../ui/section';
import { CodeField } from '../../ui/code-field';
import { useLater } from '../../ui/later';
import { draftQuery, useFormat, useSaveSource, type Policy } from './policies.queries';
import { PolicyBacktest } from './policy-backtest';
import { EXAMPLE_INPUT, PolicyInput } from './policy-input';
import { PolicyVerdict } from './policy-verdict';

/** The source of a policy, which is tried while it is written, before it is stored. */
export function PolicyEditor({ policy }: { readonly policy: Policy }) {
  const session = useSession();
  // An untouched text follows the server; one that a person has changed stays, whatever others store meanwhile.
  const [draft, setDraft] = useState<{ readonly text: string; readonly of: number } | null>(null);
  const content = draft?.text ?? policy.policy_content;
  const [inputText, setInputText] = useState(EXAMPLE_INPUT);
  const { input, fault } = useMemo(() => inputIn(inputText), [inputText]);
  const tried = useMemo(() => ({ content, ...(input === undefined ? {} : { input }) }), [content, input]);
  const verdict = useQuery(draftQuery(session, useLater(tried)));
  const format = useFormat();
  const save = useSaveSource(policy.id);
  const write = (text: string): void => setDraft({ text, of: draft?.of ?? policy.version });
  return (
    <>
      <Section title="Source">
        <CodeField
          label="Rego"
          language="rego"
          rows={16}
          value={content}
          faults={verdict.data?.errors}
          onChange={write}
        />
        <PolicyVerdict verdict={verdict} />
        <PolicyInput policyId={policy.id} text={inputText} fault={fault} onChange={setInputText} />
        {draft !== null && draft.of !== policy.version && <StoredMeanwhile version={policy.version} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button
            isBusy={format.isPending}
            disabledReason={missingScope(session, 'agents:read')}
            onClick={() => format.mutate(content, { onSuccess: (formatted) => write(formatted.policy_content) })}
          >
            Format
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
        {format.error !== null && <FailurePanel error={format.error} />}
        {save.error !== null && <FailurePanel error={save.error} />}
      </Section>
      <PolicyBacktest policyId={policy.id} content={content} />
    </>
  );
}

interface ParsedInput {
  readonly input?: Record<string, unknown>;
  readonly fault?: string;
}

/** Returns the input that a text contains, none if it is empty, or why it is no input. */
function inputIn(text: string): ParsedInput {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { input: value as Record<string, unknown> };
    }
    return { fault: 'The input is an object: {"action": "execute"}' };
  } catch (error) {
    return { fault: `This is not JSON: ${(error as Error).message}` };
  }
}

function StoredMeanwhile({ version }: { readonly version: number }) {
  return (
    <p role="alert" className="text-warning">
      Version {version} was stored meanwhile. Saving replaces it; its source is below.
    </p>
  );
}
