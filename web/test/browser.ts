import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';

/** The browser to test with: `CHROMIUM`, or Debian's; null when there is none, with the reason on stderr. */
export const chromiumPath = findChromium();

function findChromium(): string | null {
  const path = process.env.CHROMIUM || '/usr/bin/chromium';
  if (existsSync(path)) return path;
  process.stderr.write(`Browser tests are skipped: ${path} is missing. Install chromium, or set CHROMIUM.\n`);
  return null;
}

export interface Visit {
  readonly page: Page;
  /** Addresses outside the server that the page asked for. */
  readonly strayRequests: readonly string[];
  /** What the page complained of, answers of 400 and more left out. */
  readonly complaints: readonly string[];
}

export interface VisitOptions {
  colorScheme?: 'light' | 'dark';
  width?: number;
  /** Put where the page keeps its key. */
  apiKey?: string;
}

/** Pages in one browser for the tests of the group that calls this. */
export function browser(): { visit(url: string, options?: VisitOptions): Promise<Visit> } {
  let running: Browser;
  beforeAll(async () => {
    // Its sandbox does not start for root, as in containers.
    running = await chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'] });
  });
  afterAll(() => running?.close());
  return {
    async visit(url, { colorScheme = 'light', width = 1440, apiKey } = {}) {
      const context = await running.newContext({
        viewport: { width, height: 900 },
        colorScheme,
        reducedMotion: 'reduce',
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      if (apiKey)
        await context.addInitScript(`sessionStorage.setItem('tito.api-key', ${JSON.stringify(apiKey)})`);
      const page = await context.newPage();
      page.setDefaultTimeout(20_000);
      const strayRequests: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => {
        if (new URL(request.url()).origin !== new URL(url).origin) strayRequests.push(request.url());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => {
        const isAnswer = message.text().startsWith('Failed to load resource');
        if (message.type() === 'error' && !isAnswer) complaints.push(message.text());
      });
      await page.goto(url);
      return { page, strayRequests, complaints };
    },
  };
}
