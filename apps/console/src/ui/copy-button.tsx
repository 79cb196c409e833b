import { useState } from 'react';
import { Button } from './button';

/** Copies a text. Without a secure connection browsers forbid that, so the text is selected instead. */
export function CopyButton({ text, fieldId }: { readonly text: string; readonly fieldId: string }) {
  const [label, setLabel] = useState('Copy');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setLabel('Copied');
    } catch {
      (document.getElementById(fieldId) as HTMLInputElement | null)?.select();
      setLabel('Selected: press Ctrl C');
    }
  };
  return <Button onClick={() => void copy()}>{label}</Button>;
}
