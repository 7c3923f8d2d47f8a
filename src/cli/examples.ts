import type { Command } from 'commander';

/** Show these below the help of a command. */
export function examples(
  command: Command,
  shown: ReadonlyArray<readonly [what: string, line: string]>,
): Command {
  const lines = shown.map(([what, line]) => `  ${what}:\n    ${line}\n`);
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}
