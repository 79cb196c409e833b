// `npm run generate [-- --check]` writes or checks the files derived from the code;
// `npm run generate -- resource NAME` creates the files of a new resource.
// Each command is imported only when it is chosen, because `resource` does not need the applications.
const [command, ...args] = process.argv.slice(2);

if (command === 'resource') {
  const { generateResource } = await import('./resource/command.js');
  process.exitCode = await generateResource(args);
} else if (command === undefined || (command === '--check' && args.length === 0)) {
  const { generateDerivedFiles } = await import('./derived-files.js');
  // The applications leave active timers, so the process exits explicitly.
  process.exit(await generateDerivedFiles({ check: command === '--check' }));
} else {
  console.error('Usage: npm run generate [-- --check | -- resource NAME]');
  process.exitCode = 2;
}
