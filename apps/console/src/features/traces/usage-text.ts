import { nearestNumber } from '@app/api-client';

/** Returns a number of tokens or a cost: whole numbers with all digits, others with four that count. */
export function amountText(amount: number | bigint | null): string {
  if (amount === null) return '';
  return amount.toLocaleString('en', Number.isInteger(nearestNumber(amount)) ? {} : { maximumSignificantDigits: 4 });
}

interface Tokens {
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly total_tokens: number | null;
}

/** Returns for example `1,005 (1,000 in, 5 out)`; empty if nothing is known. */
export function tokensText({ input_tokens, output_tokens, total_tokens }: Tokens): string {
  const parts = [
    ...(input_tokens === null ? [] : [`${amountText(input_tokens)} in`]),
    ...(output_tokens === null ? [] : [`${amountText(output_tokens)} out`]),
  ];
  if (total_tokens === null) return parts.join(', ');
  return parts.length === 0 ? amountText(total_tokens) : `${amountText(total_tokens)} (${parts.join(', ')})`;
}
