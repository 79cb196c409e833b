import { useState } from 'react';
import type { Tagged } from '../../api/entity-tag';
import { missingScope } from '../../resource/missing-scope';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { FailurePanel } from '../../ui/failure-panel';
import { useFormat, type Policy } from './policies.queries';
import { StoreDialog } from './store-dialog';
import { UnsavedGuard } from './unsaved-guard';

/** A source that a person has changed. */
export interface Edited {
  readonly text: string;
  /** What it changes. */
  readonly of: Tagged<Policy>;
}

interface StoringProps {
  readonly policy: Tagged<Policy>;
  readonly content: string;
  readonly edited: Edited | null;
  readonly onEdit: (edited: Edited | null) => void;
}

/** Formats and stores the source, unless somebody else stored another one meanwhile. */
export function PolicyStoring({ policy, content, edited, onEdit }: StoringProps) {
  const session = useSession();
  const format = useFormat();
  const [isStoring, setStoring] = useState(false);
  const isBehind = edited !== null && edited.of.version !== policy.version;
  const isUnchanged = content === policy.policy_content;
  const behind = isBehind ? `Version ${policy.version} was stored meanwhile` : undefined;
  const reasonNotToSave = isUnchanged ? 'Nothing was changed' : behind;
  return (
    <>
      <UnsavedGuard isUnsaved={edited !== null && !isUnchanged} />
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
          disabledReason={missingScope(session, 'admin') ?? reasonNotToSave}
          onClick={() => setStoring(true)}
        >
          Save the source
        </Button>
      </div>
      {format.error !== null && <FailurePanel error={format.error} />}
      {isStoring && edited !== null && (
        <StoreDialog
          title={`Store this source of ${policy.name}?`}
          over={edited.of}
          content={content}
          onClose={() => setStoring(false)}
          onStored={() => onEdit(null)}
        />
      )}
    </>
  );
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
