import { Option } from 'commander';
import { usageError } from './errors.js';

export interface ParameterOptions {
  readonly allowMissing?: true;
}

export const allowMissingOption = (): Option =>
  new Option('--allow-missing', 'start also if a template uses a parameter that is not given');

/** Throws a CommandError if a template uses a parameter that is not given: its placeholder would remain in the prompt. */
export async function checkParameters(
  { allowMissing = false }: { readonly allowMissing?: boolean },
  preview: () => Promise<{ readonly missing_parameters: readonly string[] }>,
): Promise<void> {
  if (allowMissing) return;
  const { missing_parameters: missing } = await preview();
  if (missing.length === 0) return;
  const given = missing.map((name) => `--param ${name}=…`).join(' ');
  throw usageError(
    `The template uses parameters that are not given: ${missing.join(', ')}. Nothing was started.`,
    `Give them: ${given}, or start without them: --allow-missing`,
  );
}
