import { getChunks, unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { useLayoutEffect, useRef } from 'react';
import { codeStyle, type CodeLanguage } from './code-style';

export interface CodeComparisonProps {
  /** What is compared. */
  readonly label: string;
  readonly language: CodeLanguage;
  readonly before: string;
  readonly after: string;
}

/** Space above the first change, in pixels, for what stands before it. */
const CONTEXT_PX = 60;

/** Changed lines are told apart by their marks as well: forced colors have no backgrounds. */
const THEME = EditorView.theme({
  '.cm-scroller': { maxHeight: '24rem' },
  '.cm-changedLine, .cm-inlineChangedLine': { backgroundColor: 'var(--color-sunken)' },
  '.cm-changedLine::before': { content: '"+"', position: 'absolute', left: '0', color: 'var(--color-success)' },
  '.cm-deletedLine::before': { content: '"−"', position: 'absolute', left: '0', color: 'var(--color-danger)' },
  '.cm-line, .cm-deletedLine': { position: 'relative', paddingLeft: '1rem' },
  '.cm-deletedChunk': { backgroundColor: 'var(--color-sunken)', paddingLeft: '0' },
  // The library's own rules are more specific.
  '.cm-changedText, .cm-deletedText': { background: 'none !important', textDecoration: 'underline' },
  '.cm-deletedText': { textDecoration: 'line-through' },
});

/** Both texts in one: what is removed stands above what replaces it. Like the editor, it lives in a shadow root. */
export function CodeComparison({ label, language, before, after }: CodeComparisonProps) {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (host.current === null) return undefined;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const view = new EditorView({
      root,
      parent: root,
      doc: after,
      extensions: [
        lineNumbers(),
        codeStyle(language),
        // Unchanged lines are not folded: only a pointer could unfold them.
        unifiedMergeView({ original: before, mergeControls: false }),
        THEME,
        EditorState.readOnly.of(true),
        EditorView.editable.of(false),
        EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0' }),
      ],
    });
    showFirstChange(view);
    return () => view.destroy();
  }, [label, language, before, after]);
  return <div ref={host} />;
}

/** Scrolls only the comparison, not the page around it. */
function showFirstChange(view: EditorView): void {
  const first = getChunks(view.state)?.chunks[0];
  if (first === undefined) return;
  view.requestMeasure({
    read: ({ state }) => view.lineBlockAt(Math.min(first.fromB, state.doc.length)).top,
    write: (top, { scrollDOM }) => {
      scrollDOM.scrollTop = top - CONTEXT_PX;
    },
  });
}
