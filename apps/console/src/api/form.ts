/**
 * How a value is entered: a line, a text of several lines, one of `choices`, yes or no, a number, one text per line
 * (`lines`), or JSON.
 */
export type FieldKind = 'line' | 'text' | 'choice' | 'flag' | 'integer' | 'number' | 'lines' | 'json';

/** A field of the body of a request, as the API describes it. Absent limits do not exist. */
export interface FormField {
  readonly name: string;
  readonly kind: FieldKind;
  readonly help: string;
  readonly isRequired?: true;
  readonly choices?: readonly string[];
  readonly initial?: string | number | boolean;
  readonly example?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The body of an operation, and the scope that the operation takes. */
export interface Form<Body> {
  readonly scope: string;
  readonly fields: readonly FormField[];
  /** Never set: it ties the form to the type of its body. */
  readonly body?: Body;
}
