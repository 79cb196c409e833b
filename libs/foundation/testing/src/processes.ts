import { readdirSync, readFileSync } from 'node:fs';

/** Returns the ids of the processes of this machine whose command line contains the text; needs `/proc`. */
export function processesWith(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
    } catch {
      return false;
    }
  });
}
