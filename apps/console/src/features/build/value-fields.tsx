import { TextField } from '../../ui/text-field';
import { nestedValues } from './placeholders';

interface ValueFieldsProps {
  /** Names of the placeholders. */
  readonly names: readonly string[];
}

/** A field for each placeholder of a template. */
export function ValueFields({ names }: ValueFieldsProps) {
  if (names.length === 0) return <p className="text-quiet">It has no placeholders.</p>;
  return names.map((name) => <TextField key={name} name={name} label={name} />);
}

export function valuesOf(names: readonly string[], data: FormData): Record<string, unknown> {
  const textOf = (name: string): string => {
    const value = data.get(name);
    return typeof value === 'string' ? value : '';
  };
  return nestedValues(new Map(names.map((name) => [name, textOf(name)])));
}
