const STORED = 'console.keys';

/** Whether keys without Ctrl do anything. A person can turn them off, for all tabs of the browser. */
export function areKeysOn(): boolean {
  return localStorage.getItem(STORED) !== 'off';
}

export function turnKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(STORED);
  else localStorage.setItem(STORED, 'off');
}
