import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { lintGutter, lintKeymap, previousDiagnostic, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import type { Extension, Text } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers, type KeyBinding } from '@codemirror/view';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { codeStyle, type CodeLanguage } from './code-style';
import { classOf, regoCompletions } from './rego-completions';

/** What is wrong at a place of the code. Lines and columns start at 1. */
export interface CodeFault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface CodeEditorProps {
  readonly label: string;
  readonly language: CodeLanguage;
  readonly value: string;
  /** Height of the field in lines. */
  readonly rows: number;
  readonly faults?: readonly CodeFault[] | undefined;
  readonly onChange: (value: string) => void;
}

/** A part of a text, as offsets of its UTF-16 code units. */
export interface Selection {
  readonly from: number;
  readonly to: number;
}

interface Props extends CodeEditorProps {
  /** Takes what was selected in the focused field that the editor replaces. */
  readonly takeSelection: () => Selection | null;
  /** Id of the element with help. */
  readonly describedBy: string;
}

const LINE_HEIGHT = 1.4;

const PREVIOUS_FAULT: KeyBinding = { key: 'Shift-F8', run: previousDiagnostic };

/** Ctrl Space, or a letter, opens the list of names; Enter takes one. */
const COMPLETION: Extension = [
  autocompletion({ override: [regoCompletions], optionClass: classOf, icons: false, defaultKeymap: false }),
  keymap.of(completionKeymap),
];

/**
 * Replaces the selection itself when a person types over it: the browser would keep the colors of the replaced text by
 * style attributes, which the policy of the page forbids.
 */
const TYPED_OVER = EditorView.domEventHandlers({
  beforeinput: ({ inputType, data, isComposing }, view) => {
    if (inputType !== 'insertText' || data === null || isComposing || view.state.selection.main.empty) return false;
    view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
});

/**
 * An editor with line numbers, colors and marks at faults; F8 goes to the next one, with Shift to the one before. Tab leaves it, as it leaves every
 * field. It lives in a shadow root, where its styles need no style element, which the policy of the page forbids.
 */
export function CodeEditor({ value, faults, describedBy, takeSelection, ...options }: Props) {
  const { label, language, rows, onChange } = options;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef({ value, onChange });
  useEffect(() => {
    latest.current = { value, onChange };
  });

  // With the commit that removes the plain field: no key is pressed between them.
  useLayoutEffect(() => {
    if (host.current === null) return undefined;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const { value: doc } = latest.current;
    const extensions = extensionsOf({ label, language, rows }, (text) => {
      // A text that comes from the page is nothing that a person wrote.
      if (text !== latest.current.value) latest.current.onChange(text);
    });
    const editor = new EditorView({ root, parent: root, doc, extensions });
    view.current = editor;
    const selection = takeSelection();
    if (selection !== null) {
      editor.dispatch({ selection: { anchor: selection.from, head: selection.to } });
      editor.focus();
    }
    return () => editor.destroy();
  }, [label, language, rows, takeSelection]);

  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const { state } = view.current ?? {};
    if (state === undefined) return;
    const diagnostics = (faults ?? []).map((fault) => diagnosticOf(fault, state.doc));
    view.current?.dispatch(setDiagnostics(state, diagnostics));
  }, [faults]);

  return <div ref={host} aria-describedby={describedBy} />;
}

function extensionsOf(
  { label, language, rows }: Pick<CodeEditorProps, 'label' | 'language' | 'rows'>,
  changed: (text: string) => void,
): Extension[] {
  return [
    lineNumbers(),
    history(),
    drawSelection(),
    bracketMatching(),
    lintGutter(),
    language === 'rego' ? COMPLETION : [],
    keymap.of([PREVIOUS_FAULT, ...lintKeymap, ...defaultKeymap, ...historyKeymap]),
    TYPED_OVER,
    codeStyle(language),
    EditorView.theme({ '.cm-scroller': { height: `${rows * LINE_HEIGHT}em` } }),
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) changed(state.doc.toString());
    }),
  ];
}

/** A fault may be of an earlier text, whose place does not exist any more. */
function diagnosticOf({ line, column, message }: CodeFault, text: Text): Diagnostic {
  const place = text.line(Math.min(Math.max(line, 1), text.lines));
  const from = Math.min(place.from + Math.max(column - 1, 0), place.to);
  return { from, to: Math.min(from + 1, text.length), severity: 'error', message };
}
