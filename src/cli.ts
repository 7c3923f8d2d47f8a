#!/usr/bin/env node
import { createProgram } from './cli/program.js';
import { StartupError } from './errors.js';

// A reader that has enough, such as `head`, ends the command; a request in progress ends with its connection.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  await createProgram().parseAsync();
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  process.stderr.write(`tito: ${error.message}\n`);
  process.exitCode = 1;
}
