import { CompletionContext } from '@codemirror/autocomplete';
import { ensureSyntaxTree, StreamLanguage } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { describe, expect, it } from '@jest/globals';
import { classOf, regoCompletions } from './rego-completions';
import { regoTokens } from './rego-tokens';

describe('what is offered while Rego is written', () => {
  it('are the builtins of the evaluator with their arguments, and its keywords', () => {
    const offered = optionsAfter('package p\n\nx := time.cl');
    expect(offered.get('time.clock')).toMatchObject({ type: 'function', detail: ' 1 argument' });
    expect(offered.get('array.slice')).toMatchObject({ type: 'function', detail: ' 3 arguments' });
    expect(offered.get('every')).toMatchObject({ type: 'keyword' });
    expect(offered.has('plus')).toBe(false);
  });

  it('strikes through what the evaluator refuses, and says why', () => {
    const refused = optionsAfter('x := http').get('http.send');
    expect([classOf(refused ?? { label: '' }), refused?.detail]).toEqual([
      'refused',
      ' refused: it reaches outside the evaluation',
    ]);
  });

  it('replaces a name with its packages', () => {
    expect(completed('x := time.now')?.from).toBe('x := '.length);
  });

  it.each(['# a comment', 'x := "text', 'x := `raw', 'x := 1 '])('is nothing after %j', (code) => {
    expect(completed(code)).toBeNull();
  });

  function optionsAfter(code: string) {
    return new Map(completed(code)?.options.map((option) => [option.label, option]));
  }

  function completed(code: string) {
    const state = EditorState.create({ doc: code, extensions: [StreamLanguage.define(regoTokens)] });
    ensureSyntaxTree(state, code.length);
    return regoCompletions(new CompletionContext(state, code.length, false));
  }
});
