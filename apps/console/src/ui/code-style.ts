import { json } from '@codemirror/lang-json';
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { regoTokens } from './rego-tokens';

export type CodeLanguage = 'rego' | 'json';

const COLORS = HighlightStyle.define([
  { tag: [tags.keyword, tags.atom, tags.bool, tags.null], color: 'var(--color-accent)' },
  { tag: [tags.string, tags.propertyName], color: 'var(--color-success)' },
  { tag: tags.number, color: 'var(--color-warning)' },
  { tag: tags.comment, color: 'var(--color-quiet)', fontStyle: 'italic' },
  { tag: tags.function(tags.variableName), color: 'var(--color-accent)' },
  { tag: tags.special(tags.variableName), fontWeight: '600' },
]);

const THEME = EditorView.theme({
  '&': { backgroundColor: 'var(--color-surface)', color: 'var(--color-text)', border: '1px solid var(--color-edge)' },
  '&.cm-focused': { outline: '2px solid var(--color-accent)', outlineOffset: '1px' },
  '.cm-content, .cm-gutters': { fontFamily: 'var(--font-mono)', fontSize: '0.875rem' },
  '.cm-content': { caretColor: 'var(--color-text)' },
  '.cm-cursor': { borderLeftColor: 'var(--color-text)' },
  '.cm-gutters': { backgroundColor: 'var(--color-sunken)', color: 'var(--color-quiet)', border: 'none' },
  '.cm-scroller': { overflow: 'auto' },
  '.cm-tooltip': { backgroundColor: 'var(--color-surface)', color: 'var(--color-text)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--color-accent)',
    color: 'var(--color-on-accent)',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono)' },
  '.refused .cm-completionLabel': { textDecoration: 'line-through' },
});

const LANGUAGES: Readonly<Record<CodeLanguage, Extension>> = {
  rego: StreamLanguage.define(regoTokens),
  json: json(),
};

/** How code of a language looks, in the editor and in comparisons. */
export function codeStyle(language: CodeLanguage): Extension[] {
  return [LANGUAGES[language], syntaxHighlighting(COLORS), THEME];
}
