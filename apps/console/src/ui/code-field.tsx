import { CatchBoundary } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useId, useRef, useState, type RefCallback } from 'react';
import type { CodeEditorProps, Selection } from './code-editor';
import { FieldNotes } from './labelled';
import { TextAreaField } from './text-area-field';

/** The editor is large and needed on few pages, so it is loaded where code is written. */
const CodeEditor = lazy(async () => ({ default: (await import('./code-editor')).CodeEditor }));

interface CodeFieldProps extends CodeEditorProps {
  readonly help?: string;
  readonly fault?: string | undefined;
}

/**
 * A field for code. It is a plain field until the editor is loaded, and if it cannot be loaded. A person who writes in
 * the plain field goes on in the editor.
 */
export function CodeField({ help, fault, ...editor }: CodeFieldProps) {
  const id = useId();
  const [isMissing, setIsMissing] = useState(false);
  const { label, value, rows, onChange } = editor;
  const [plainField, takeSelection] = useLastSelection();
  const plain = (
    <TextAreaField
      ref={plainField}
      label={label}
      help={help}
      fault={fault}
      rows={rows}
      className="font-mono text-sm"
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
  // The boundary would mount the plain field anew with each letter.
  if (isMissing) return plain;
  return (
    <CatchBoundary getResetKey={() => ''} errorComponent={Nothing} onCatch={() => setIsMissing(true)}>
      <Suspense fallback={plain}>
        <div className="flex flex-col gap-1">
          <span className="font-semibold">{label}</span>
          <CodeEditor {...editor} describedBy={id} takeSelection={takeSelection} />
          <FieldNotes id={id} help={help} fault={fault} />
        </div>
      </Suspense>
    </CatchBoundary>
  );
}

/** Notes what was selected in a field that is removed while it has the focus, until it is taken. */
function useLastSelection(): [RefCallback<HTMLTextAreaElement>, () => Selection | null] {
  const last = useRef<Selection | null>(null);
  const field = useCallback((element: HTMLTextAreaElement | null) => {
    if (element === null) return undefined;
    return () => {
      const { selectionStart: from, selectionEnd: to } = element;
      last.current = document.activeElement === element ? { from, to } : null;
    };
  }, []);
  const take = useCallback(() => {
    const { current } = last;
    last.current = null;
    return current;
  }, []);
  return [field, take];
}

function Nothing() {
  return null;
}
