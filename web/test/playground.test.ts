/** The playground in a browser, against servers of the tiny model. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import axe from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { tinyServer } from '../../contract-tests/tiny-server.js';
import type { ChatCompletion, GenerateRequest, GenerateResponse } from '../../generated/types.js';
import { browser, chromiumPath, type Visit, type VisitOptions } from './browser.js';

const KEY = 'sesame';
const QUESTION = 'What is the capital of France?';

describe.skipIf(chromiumPath === null)('the playground', () => {
  const tiny = tinyServer([
    ...['--api-key', KEY, '--enable-trace-replay', '--reasoning-parser', 'qwen3'],
    ...['--enable-auto-tool-choice', '--tool-call-parser', 'hermes'],
  ]);
  const { visit } = browser();
  let opened: Visit | null = null;
  afterEach(async () => {
    await opened?.page.context().close();
    expect(opened?.strayRequests).toEqual([]);
    expect(opened?.complaints).toEqual([]);
    opened = null;
  });

  /** Open the page with the key, sampling as is best for tests. */
  async function open(options: VisitOptions = {}): Promise<Page> {
    opened = await visit(`${tiny.server.url}/playground`, { apiKey: KEY, ...options });
    const { page } = opened;
    await page.getByText('ready', { exact: true }).waitFor();
    await page.getByLabel('Temperature').fill('0');
    await page.getByLabel('Max tokens').fill('12');
    return page;
  }

  async function post<T>(path: string, body: unknown): Promise<T> {
    const headers = { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' };
    const response = await fetch(tiny.server.url + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    return (await response.json()) as T;
  }

  it('renders, generates and derenders a chat', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Generate' }).click();
    await fact(page, 'finish', 'length');

    const chat = { messages: [{ role: 'user', content: QUESTION }], temperature: 0, max_tokens: 12 };
    const rendered = await post<GenerateRequest>('/v1/chat/completions/render', chat);
    const generated = await post<GenerateResponse>('/inference/v1/generate', rendered);
    expect(await ids(page, 'prompt')).toEqual(rendered.token_ids);
    expect(await ids(page, 'output')).toEqual(generated.choices[0]!.token_ids);
    const derendered = await post<ChatCompletion>('/v1/chat/completions/derender', {
      chat_request: chat,
      generate_response: generated,
      prompt_token_ids: rendered.token_ids,
    });
    const message = page.getByRole('region', { name: 'Message' });
    const { content, reasoning } = derendered.choices[0]!.message;
    for (const text of [content, reasoning]) {
      if (text) expect(await message.textContent()).toContain(text);
    }
    await fact(page, 'weights', 'default');
    await fact(page, 'speed', /\d tokens\/s/);
    expect(await page.locator('.token.special').first().textContent()).toBe('<|im_start|>');
  });

  it('shows what a token is and what it could have been', async () => {
    const page = await open();
    await page.getByLabel('Alternatives').fill('3');
    await page.keyboard.press('Control+Enter');
    await fact(page, 'finish', 'length');
    const inspector = page.getByRole('complementary', { name: 'Token' });
    await page.locator('#output-2').hover();
    const shares = await inspector.locator('.share').allTextContents();
    expect(shares.length).toBe(3);
    expect(shares[0]).toMatch(/%, sampled$/);
    expect(await inspector.textContent()).toContain('token 2');
    await page.locator('#prompt-1').click();
    expect(await inspector.textContent()).toMatch(/prompttoken 1characters12–/);
  });

  it('goes on from raw ids', async () => {
    const page = await open();
    await page.getByRole('radio', { name: 'Token ids' }).check();
    await page.getByRole('textbox', { name: 'Token ids' }).fill('[100, 101 102]');
    await page.getByRole('button', { name: 'Generate' }).click();
    await fact(page, 'finish', 'length');
    const generated = await post<GenerateResponse>('/inference/v1/generate', {
      token_ids: [100, 101, 102],
      sampling_params: { temperature: 0, max_tokens: 12 },
      output_mode: 'tokens',
    });
    expect(await ids(page, 'prompt')).toEqual([100, 101, 102]);
    expect(await ids(page, 'output')).toEqual(generated.choices[0]!.token_ids);
    await page.getByRole('region', { name: 'Text' }).waitFor();
  });

  it('stops, here and at the server, and keeps what was generated', async () => {
    const page = await open();
    await alsoSend(page, { ignore_eos: true });
    await page.getByLabel('Max tokens').fill('1900');
    await page.keyboard.press('Control+Enter');
    await page.locator('#output-0').waitFor();
    await page.keyboard.press('Escape');
    await fact(page, 'finish', 'abort');
    const count = (await ids(page, 'output')).length;
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(1900);
    const { server_load } = (await (await fetch(`${tiny.server.url}/load`)).json()) as {
      server_load: number;
    };
    expect(server_load).toBe(0);
    await page.getByRole('button', { name: 'Generate' }).waitFor();
  });

  it('says what went wrong, and what to do', async () => {
    const page = await open();
    const alert = page.getByRole('alert');
    await page.getByLabel('Temperature').fill('5');
    await page.keyboard.press('Control+Enter');
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(
      /can’t use this request.*temperature.*Correct the value.*Request/s,
    );
    await page.getByLabel('Temperature').fill('warm');
    await page.keyboard.press('Control+Enter');
    await alert.getByText('Temperature is not a number').waitFor();
    await page.getByRole('radio', { name: 'Token ids' }).check();
    await page.getByRole('textbox', { name: 'Token ids' }).fill('1, x');
    await page.getByLabel('Temperature').fill('0');
    await page.keyboard.press('Control+Enter');
    await alert.getByText('“x” is not a token id').waitFor();
    await page.getByRole('textbox', { name: 'Token ids' }).fill('1');
    await page.keyboard.press('Control+Enter');
    await fact(page, 'finish', /./);
    expect(await alert.count()).toBe(0);
  });

  it('follows the system’s colours, and the switch', async () => {
    const page = await open({ colorScheme: 'dark' });
    const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const dark = await paper();
    await page.getByRole('button', { name: 'Theme: system' }).click();
    const light = await paper();
    expect([dark, light]).toEqual(['rgb(20, 23, 22)', 'rgb(247, 246, 242)']);
    await page.reload();
    expect(await paper()).toBe(light);
    await page.getByRole('button', { name: 'Theme: light' }).click();
    expect(await paper()).toBe(dark);
  });

  it('can be used without a pointer', async () => {
    const page = await open();
    await page.getByLabel('Temperature').press('ArrowUp');
    expect(await page.getByLabel('Temperature').inputValue()).toBe('0.1');
    await page.getByRole('button', { name: 'Show tokens' }).focus();
    await page.keyboard.press('/');
    const input = page.getByLabel('Text of turn 1');
    expect(await isFocused(input)).toBe(true);
    await page.keyboard.type('?');
    expect(await input.inputValue()).toContain('?');
    await page.keyboard.press('Control+Shift+Enter');
    const prompt = page.getByRole('listbox', { name: 'Tokens of the prompt' });
    await prompt.focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft']) await page.keyboard.press(key);
    expect(await prompt.getAttribute('aria-activedescendant')).toBe('prompt-1');
    expect(await page.locator('#prompt-1').getAttribute('aria-selected')).toBe('true');
    const before = await page.locator('#prompt-1').textContent();
    await page.keyboard.press('i');
    expect(await page.locator('#prompt-1').textContent()).toMatch(new RegExp(`^${before} \\d+$`));
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    await dialog.getByLabel('keys without Ctrl or ⌘').uncheck();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await prompt.focus();
    await page.keyboard.press('i');
    expect(await page.locator('#prompt-1').textContent()).not.toBe(before);
  });

  it('asks for the API key, and keeps it in the tab', async () => {
    opened = await visit(`${tiny.server.url}/playground`);
    const { page } = opened;
    await page.getByText('This server needs an API key.').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').getByRole('button', { name: 'Enter API key' }).click();
    await page.getByLabel('Key', { exact: true }).fill(KEY);
    await page.keyboard.press('Enter');
    await page.getByText('ready', { exact: true }).waitFor();
    await page.keyboard.press('Control+Enter');
    await fact(page, 'finish', /./);
    expect(
      await page.evaluate('JSON.stringify({ ...localStorage }) + document.cookie + location.href'),
    ).not.toContain(KEY);
  });

  it('gives the request as a command that does the same', async () => {
    const page = await open();
    await page.getByLabel('Text of turn 1').fill('it’s "quoted" and \'quoted\'');
    await page.getByRole('button', { name: 'Generate' }).click();
    await fact(page, 'finish', 'length');
    await page.getByRole('button', { name: 'curl' }).click();
    const command = (await page.evaluate('navigator.clipboard.readText()')) as string;
    expect(command).not.toContain(KEY);
    const env = { ...process.env, TITO_API_KEY: KEY };
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { env });
    const frames = stdout.split('\n').filter((line) => line.startsWith('data: {'));
    const sampled = frames.flatMap(
      (line) => (JSON.parse(line.slice('data: '.length)) as GenerateResponse).choices[0]?.token_ids ?? [],
    );
    expect(sampled).toEqual(await ids(page, 'output'));
  });

  it('shows reasoning and calls, and goes on with them', async () => {
    const page = await open();
    const text =
      '<think>Look it up.</think><tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>';
    const { tokens } = await post<{ tokens: number[] }>('/tokenize', { prompt: text });
    await alsoSend(page, { trace_decode_token_ids: tokens, max_tokens: tokens.length });
    await page.getByText('Tools', { exact: true }).click();
    const tool = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } };
    await page.getByLabel('Tools, as a JSON list').fill(JSON.stringify([tool]));
    await page.keyboard.press('Control+Enter');
    await fact(page, 'finish', /./);
    const message = page.getByRole('region', { name: 'Message' });
    await message.getByText('Look it up.').waitFor();
    expect(await message.locator('pre').textContent()).toBe('{\n  "city": "Oslo"\n}');
    expect(await message.locator('figcaption').textContent()).toBe('calls weather');
    await message.getByRole('button', { name: 'Go on with this' }).click();
    expect(await page.getByLabel('Role of turn 3').inputValue()).toBe('tool');
    expect(await page.getByLabel('Call that turn 3 answers').inputValue()).not.toBe('');
    expect(await page.getByText('with a call').count()).toBe(1);
  });

  it.each(['light', 'dark'] as const)('has nothing that axe objects to, in %s', async (colorScheme) => {
    const page = await open({ colorScheme });
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Temperature').fill('2');
    await page.getByRole('button', { name: 'Add a turn' }).click();
    await page.getByText('Tools', { exact: true }).click();
    await page.keyboard.press('Control+Enter');
    await fact(page, 'finish', /./);
    await page.getByRole('listbox', { name: 'Tokens of the output' }).focus();
    await page.keyboard.press('i');
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Temperature').fill('9');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').waitFor();
    expect(await violations(page)).toEqual([]);
    for (const name of ['API key', 'Keys']) {
      await page
        .getByRole('button', { name, exact: true })
        .or(page.getByRole('button', { name: 'Key set' }))
        .first()
        .click();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press('Escape');
    }
  });

  it('fits a narrow screen', async () => {
    const page = await open({ width: 360 });
    await page.keyboard.press('Control+Enter');
    await fact(page, 'finish', /./);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(await violations(page)).toEqual([]);
  });

  it('is beside an API reference of this server alone', async () => {
    opened = await visit(`${tiny.server.url}/docs`);
    const { page } = opened;
    await page.getByRole('heading', { name: 'tito', exact: true }).waitFor();
    await page.getByText('Generate token ids').first().waitFor();
    await page.getByText(tiny.server.url).first().waitFor();
  });
});

describe.skipIf(chromiumPath === null)('the playground of a render server', () => {
  const tiny = tinyServer([], { rendersOnly: true });
  const { visit } = browser();

  it('shows tokens, and says that nothing is generated', async () => {
    const { page } = await visit(`${tiny.server.url}/playground`);
    await page.getByText('This is a render server').waitFor();
    expect(await page.getByRole('button', { name: 'Generate' }).isDisabled()).toBe(true);
    await page.keyboard.press('Control+Enter');
    await page.locator('#prompt-0').waitFor();
    expect(await page.locator('#prompt-0').textContent()).toBe('<|im_start|>');
    expect(await violations(page)).toEqual([]);
  });
});

/** Wait until a fact of the run says this. */
async function fact(page: Page, name: string, value: string | RegExp): Promise<void> {
  const shown = typeof value === 'string' ? new RegExp(`^${value}$`) : value;
  const rows = page.locator('.facts > div').filter({ has: page.getByText(name, { exact: true }) });
  await rows.locator('dd').filter({ hasText: shown }).filter({ hasNotText: '…' }).waitFor();
  await page.getByRole('button', { name: 'Generate' }).waitFor();
}

/** The ids of a list. */
async function ids(page: Page, list: 'prompt' | 'output'): Promise<number[]> {
  const options = page.getByRole('listbox', { name: `Tokens of the ${list}` }).getByRole('option');
  return options.evaluateAll((found) => found.map((option) => Number(option.getAttribute('data-id'))));
}

/** Add sampling params to what the page asks generate for. */
async function alsoSend(page: Page, more: Readonly<Record<string, unknown>>): Promise<void> {
  await page.route('**/inference/v1/generate', async (route) => {
    const body = route.request().postDataJSON() as GenerateRequest;
    await route.continue({ postData: { ...body, sampling_params: { ...body.sampling_params, ...more } } });
  });
}

const isFocused = (field: Locator): Promise<boolean> =>
  field.evaluate((element) => element.matches(':focus'));

/** What axe finds, as rule and place. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = (await page.evaluate('axe.run(document)')) as axe.AxeResults;
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
  );
}
