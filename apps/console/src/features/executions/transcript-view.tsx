import { stringifyWithBigInts } from '@app/api-client';
import { memo } from 'react';
import type { Block, MessageBlock, ToolBlock, Transcript } from './transcript';

/** Blocks that are shown at once; the earlier ones of a very long run stay in the record. */
const MAX_SHOWN = 500;

export function TranscriptView({ transcript }: { readonly transcript: Transcript }) {
  const { blocks } = transcript;
  const hidden = Math.max(0, blocks.length - MAX_SHOWN);
  return (
    <div role="log" aria-label="Transcript" className="flex flex-col gap-3">
      {hidden > 0 && <p className="text-sm text-quiet">{hidden} earlier entries are not shown.</p>}
      {blocks.slice(hidden).map((block) => (
        <BlockView key={block.key} block={block} />
      ))}
    </div>
  );
}

const BlockView = memo(({ block }: { readonly block: Block }) => {
  switch (block.kind) {
    case 'message':
      return <Message block={block} />;
    case 'tool':
      return <Tool block={block} />;
    case 'thinking':
      return <Folded title={block.isComplete ? 'Thought' : 'Thinking …'} text={block.text} />;
    case 'divider':
      return (
        <p className={`border-b border-hairline text-sm ${block.isWarning ? 'text-warning' : 'text-quiet'}`}>
          {block.text}
        </p>
      );
    case 'error':
      return (
        <p className="rounded-md border border-danger p-3 break-words whitespace-pre-wrap text-danger">{block.text}</p>
      );
    default:
      return <Folded title={block.type} text={stringifyWithBigInts(block.data, 2)} />;
  }
});
BlockView.displayName = 'BlockView';

/** Text only: nothing that a model writes becomes markup or a request. */
function Message({ block }: { readonly block: MessageBlock }) {
  return (
    <div className={`rounded-md border border-hairline p-3 ${block.role === 'user' ? 'bg-sunken' : 'bg-surface'}`}>
      <p className="text-sm text-quiet">
        {block.author ?? block.role}
        {!block.isComplete && ' …'}
      </p>
      <p className="break-words whitespace-pre-wrap">
        <bdi>{block.text}</bdi>
      </p>
    </div>
  );
}

function Tool({ block }: { readonly block: ToolBlock }) {
  const color = { running: 'text-accent', success: 'text-success', failed: 'text-danger' }[block.status];
  return (
    <details className="rounded-md border border-hairline bg-surface p-3">
      <summary className="break-words">
        <code className="font-mono">{block.name}</code>
        {block.author !== null && ` by ${block.author}`} <span className={color}>{block.status}</span>
      </summary>
      <Value label="Arguments" value={block.arguments} />
      <Value label={block.error === null ? 'Output' : 'Error'} value={block.error ?? block.output} />
    </details>
  );
}

function Value({ label, value }: { readonly label: string; readonly value: unknown }) {
  if (value === null) return null;
  return (
    <>
      <p className="pt-2 text-sm text-quiet">{label}</p>
      <pre className="overflow-x-auto font-mono text-sm">
        {typeof value === 'string' ? value : stringifyWithBigInts(value, 2)}
      </pre>
    </>
  );
}

function Folded({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <details className="text-quiet">
      <summary className="text-sm break-words">{title}</summary>
      <pre className="font-mono text-sm break-words whitespace-pre-wrap">{text}</pre>
    </details>
  );
}
