import { StringField } from '@app/http';

/** In characters; a variable of a process is rarely larger. */
const VALUE = { maxLength: 65_536, description: 'Value, 1 to 65,536 characters. No response contains it' };

export class ReplaceSecretRequest {
  @StringField({ required: true, ...VALUE })
  readonly value!: string;
}

export class CreateSecretRequest extends ReplaceSecretRequest {
  @StringField({
    required: true,
    maxLength: 128,
    pattern: /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/,
    patternMeans: 'letters, digits, _, - and ., not beginning with - or .',
    description: 'Name, unique in the organization; `secret:NAME` refers to the secret',
    example: 'MAIL_PASSWORD',
  })
  readonly name!: string;
}
