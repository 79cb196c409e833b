/**
 * The value of an attribute (`AnyValue` of OTLP). Integers are bigints, so that all 64 bits are exact; bytes are base64
 * text, as in the JSON form of OTLP.
 */
export type AttributeValue = string | number | bigint | boolean | null | readonly AttributeValue[] | Attributes;

export type Attributes = ReadonlyMap<string, AttributeValue>;

/** Levels of lists and maps in one attribute. */
export const MAX_ATTRIBUTE_DEPTH = 32;

/**
 * Returns the JSON text of attributes, exactly: integers with all digits. Numbers that JSON does not have are the texts
 * `NaN`, `Infinity` and `-Infinity`, as in the JSON form of OTLP. Values may be nested `MAX_ATTRIBUTE_DEPTH` levels, which
 * the decoders check.
 */
export function attributesText(attributes: Attributes): string {
  const members: string[] = [];
  for (const [key, value] of attributes) members.push(`${JSON.stringify(key)}:${valueText(value)}`);
  return `{${members.join(',')}}`;
}

/** Returns the text of the attribute if it is a string that is not empty. */
export function textOf(attributes: Attributes, name: string): string | undefined {
  const value = attributes.get(name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function valueText(value: AttributeValue): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return Number.isFinite(value) ? numberText(value) : `"${value}"`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (value instanceof Map) return attributesText(value as Attributes);
  return `[${(value as readonly AttributeValue[]).map(valueText).join(',')}]`;
}

/** JSON.stringify writes -0 as 0. */
function numberText(value: number): string {
  return Object.is(value, -0) ? '-0' : JSON.stringify(value);
}
