import { parseWithBigInts } from '@app/api-client';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Tagged } from '../../api/entity-tag';
import { useSession } from '../../session/session-context';
import { CodeField } from '../../ui/code-field';
import { useLater } from '../../ui/later';
import { Section } from '../../ui/section';
import { draftQuery, type Policy } from './policies.queries';
import { PolicyBacktest } from './policy-backtest';
import { PolicyInput, useInputText } from './policy-input';
import { PolicyStoring, type Edited } from './policy-storing';
import { PolicyVerdict } from './policy-verdict';

/** The source of a policy, which is tried while it is written, before it is stored. */
export function PolicyEditor({ policy }: { readonly policy: Tagged<Policy> }) {
  // An untouched text follows the server; one that a person has changed stays, whatever others store meanwhile.
  const [edited, setEdited] = useState<Edited | null>(null);
  const content = edited?.text ?? policy.policy_content;
  const [inputText, setInputText] = useInputText(policy.id);
  const { input, fault } = useMemo(() => inputIn(inputText), [inputText]);
  const tried = useMemo(() => ({ content, ...(input === undefined ? {} : { input }) }), [content, input]);
  const verdict = useQuery(draftQuery(useSession(), useLater(tried)));
  return (
    <>
      <Section title="Source">
        <CodeField
          label="Rego"
          language="rego"
          rows={16}
          value={content}
          faults={verdict.data?.errors}
          onChange={(text) => setEdited({ of: edited?.of ?? policy, text })}
        />
        <PolicyVerdict verdict={verdict} />
        <PolicyInput policyId={policy.id} text={inputText} fault={fault} onChange={setInputText} />
        <PolicyStoring policy={policy} content={content} edited={edited} onEdit={setEdited} />
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
    const value: unknown = parseWithBigInts(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { input: value as Record<string, unknown> };
    }
    return { fault: 'The input is an object: {"action": "execute"}' };
  } catch (error) {
    return { fault: `This is not JSON: ${(error as Error).message}` };
  }
}
