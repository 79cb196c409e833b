import { parseWithBigInts } from '@app/api-client';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { isOutdated, type Tagged } from '../../api/entity-tag';
import { missingScope } from '../../resource/missing-scope';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { CodeField } from '../../ui/code-field';
import { FailurePanel } from '../../ui/failure-panel';
import { useLater } from '../../ui/later';
import { Section } from '../../ui/section';
import { draftQuery, useFormat, useSaveSource, type Policy } from './policies.queries';
import { PolicyBacktest } from './policy-backtest';
import { EXAMPLE_INPUT, PolicyInput } from './policy-input';
import { PolicyVerdict } from './policy-verdict';

/** A source that a person has changed. */
interface Edited {
  readonly text: string;
  /** What it changes. */
  readonly of: Tagged<Policy>;
}

/** The source of a policy, which is tried while it is written, before it is stored. */
export function PolicyEditor({ policy }: { readonly policy: Tagged<Policy> }) {
  // An untouched text follows the server; one that a person has changed stays, whatever others store meanwhile.
  const [edited, setEdited] = useState<Edited | null>(null);
  const content = edited?.text ?? policy.policy_content;
  const [inputText, setInputText] = useState(EXAMPLE_INPUT);
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
        <Storing policy={policy} content={content} edited={edited} onEdit={setEdited} />
      </Section>
      <PolicyBacktest policyId={policy.id} content={content} />
    </>
  );
}

interface StoringProps {
  readonly policy: Tagged<Policy>;
  readonly content: string;
  readonly edited: Edited | null;
  readonly onEdit: (edited: Edited | null) => void;
}

/** Formats and stores the source, unless somebody else stored another one meanwhile. */
function Storing({ policy, content, edited, onEdit }: StoringProps) {
  const session = useSession();
  const format = useFormat();
  const save = useSaveSource(policy.id);
  const isBehind = edited !== null && edited.of.version !== policy.version;
  const isUnchanged = content === policy.policy_content;
  const behind = isBehind ? `Version ${policy.version} was stored meanwhile` : undefined;
  const reasonNotToSave = isUnchanged ? 'Nothing was changed' : behind;
  return (
    <>
      {isBehind && (
        <StoredMeanwhile
          version={policy.version}
          onKeep={() => onEdit({ ...edited, of: policy })}
          onLeave={() => onEdit(null)}
        />
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button
          isBusy={format.isPending}
          disabledReason={missingScope(session, 'agents:read')}
          onClick={() =>
            format.mutate(content, {
              onSuccess: ({ policy_content: text }) => onEdit({ of: edited?.of ?? policy, text }),
            })
          }
        >
          Format
        </Button>
        <Button
          kind="primary"
          isBusy={save.isPending}
          disabledReason={missingScope(session, 'admin') ?? reasonNotToSave}
          onClick={() => save.mutate({ content, tag: edited?.of.entity_tag }, { onSuccess: () => onEdit(null) })}
        >
          Save the source
        </Button>
      </div>
      {format.error !== null && <FailurePanel error={format.error} />}
      {save.error !== null && !isOutdated(save.error) && <FailurePanel error={save.error} />}
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

interface StoredMeanwhileProps {
  readonly version: number;
  readonly onKeep: () => void;
  readonly onLeave: () => void;
}

function StoredMeanwhile({ version, onKeep, onLeave }: StoredMeanwhileProps) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-2 text-warning">
      <p>Version {version} was stored meanwhile; its source is below.</p>
      <Button onClick={onKeep}>Keep my text</Button>
      <Button onClick={onLeave}>Load version {version}</Button>
    </div>
  );
}
