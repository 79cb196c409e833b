import { Children } from 'react';

/** Shows a text of the API, in which names stand between backticks. */
export function Words({ text }: { readonly text: string }) {
  // Every second part is between backticks.
  return Children.map(text.split('`'), (part, index) => (index % 2 === 0 ? part : <code>{part}</code>));
}
