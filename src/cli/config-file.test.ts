import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveConfig } from '../config.js';
import { readConfigFile } from './config-file.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tito-config-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function written(text: string): string {
  const path = join(folder, 'tito.yaml');
  writeFileSync(path, text);
  return path;
}

describe('a config file', () => {
  it('sets options by their flags, and the model', () => {
    const file = readConfigFile(
      written(
        'model: a.gguf\nport: 9000\nmax_num_seqs: 4\nenable-scale-out: true\nserved-model-name: [a, b]\napi-key: k\n' +
          'override-generation-config: {top_p: 0.5}\nhost:\n',
      ),
    );
    const config = resolveConfig(file.model, {}, {}, false, file.given);
    expect(config).toMatchObject({ model: 'a.gguf', port: 9000, maxNumSeqs: 4, enableScaleOut: true });
    expect(config).toMatchObject({ servedModelName: ['a', 'b'], apiKey: ['k'], host: '127.0.0.1' });
    expect(config.overrideGenerationConfig).toBe('{"top_p":0.5}');
  });

  it('loses to the environment, and both to a flag', () => {
    const { given } = readConfigFile(written('port: 1\nlog-level: warn\n'));
    expect(resolveConfig(null, {}, { TITO_PORT: '2' }, false, given)).toMatchObject({
      port: 2,
      logLevel: 'warn',
    });
    expect(resolveConfig(null, { port: '3' }, { TITO_PORT: '2' }, false, given).port).toBe(3);
  });

  it('may be empty', () => {
    expect(readConfigFile(written('# nothing yet\n'))).toEqual({ model: null, given: {} });
    expect(readConfigFile(undefined)).toEqual({ model: null, given: {} });
  });

  it.each([
    ['prot: 1', /"prot", which is no option\. Did you mean "port"\?/],
    ['qwertyuiop: 1', /"qwertyuiop", which is no option\. See tito serve --help/],
    ['port: many', /"port" must be a number, got "many"/],
    ['enable-scale-out: maybe', /"enable-scale-out" must be true or false, got "maybe"/],
    ['- port', /must hold options by name/],
    ['port: [', /Can't read --config/],
  ])('is refused with %j', (text, message) => {
    expect(() => readConfigFile(written(text))).toThrow(message);
  });

  it('is refused when it is not there', () => {
    expect(() => readConfigFile(join(folder, 'none.yaml'))).toThrow(/Can't read --config .*none\.yaml/);
  });
});
