export function printStep(line: string): void {
  console.error(`==> ${line}`);
}
