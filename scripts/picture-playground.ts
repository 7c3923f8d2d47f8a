/**
 * Writes docs/playground.png: the playground after a run on the server at URL, in a browser (`CHROMIUM`, or Debian's).
 *
 *   tito serve --enable-scale-out
 *   node dist/scripts/picture-playground.js [URL]
 */
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { packageRoot } from '../src/package-info.js';

const url = process.argv[2] ?? 'http://127.0.0.1:8000';
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const page = await browser.newPage({ viewport: { width: 1360, height: 800 }, reducedMotion: 'reduce' });
await page.goto(`${url}/playground`);
await page.getByText('ready', { exact: true }).waitFor();
await page.getByLabel('Text of turn 1').fill('Why is the sky blue?');
await page.getByLabel('Seed').fill('7');
await page.getByLabel('Max tokens').fill('48');
await page.getByRole('button', { name: 'Generate' }).click();
await page.getByRole('button', { name: 'Go on with this' }).waitFor({ timeout: 120_000 });
const output = page.getByRole('listbox', { name: 'Tokens of the output' });
await output.getByRole('option').nth(5).click();
await page.getByLabel('Text of turn 1').hover();
await page.screenshot({ path: join(packageRoot, 'docs', 'playground.png') });
await browser.close();
