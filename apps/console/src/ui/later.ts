import { useEffect, useState } from 'react';

const DELAY_MS = 300;

/** Returns a value once it has not changed for a while, so that not every letter becomes a request. */
export function useLater<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), DELAY_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
