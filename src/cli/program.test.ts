import { describe, expect, it } from 'vitest';
import { OPTIONS } from '../config.js';
import { createProgram } from './program.js';

const commands = createProgram().commands.filter((command) => command.name() !== 'complete');

/** Help as it is printed, with what comes after it. */
function helpOf(command: (typeof commands)[number]): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part), getOutHasColors: () => false });
  command.outputHelp();
  return text;
}

describe('help', () => {
  it('lists what there is', () => {
    expect(commands.map((command) => command.name())).toEqual([
      'serve',
      'render-server',
      'pull',
      'generate',
      'conform',
      'inspect',
      'mock',
    ]);
  });

  it.each(commands.map((command) => [command.name(), command] as const))(
    'of %s teaches by example',
    (name, command) => {
      const text = helpOf(command);
      expect(command.description()).toMatch(/\.$/);
      expect(text).toMatch(new RegExp(`Examples:\\n  .+:\\n    .*tito ${name}`));
      for (const option of command.options) expect(option.description, option.flags).toMatch(/\w{3}/);
    },
  );

  it('of serve has every option of the table, with its environment variable', () => {
    const text = helpOf(commands[0]!).replace(/\s+/g, ' ');
    for (const { flag } of Object.values(OPTIONS)) {
      expect(text).toContain(`--${flag}`);
      expect(text).toContain(`TITO_${flag.toUpperCase().replaceAll('-', '_')}`);
    }
  });
});
