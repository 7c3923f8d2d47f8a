import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Environment of a server whose garbage is collected early, so that what is resident is about what is in use. */
export const SMALL_HEAPS = { NODE_OPTIONS: '--max-old-space-size=48 --max-semi-space-size=2' };

/** Resident MiB of a server and its engine processes, from /proc. */
export function residentMiB(server: number): number {
  const pages = [server, ...engineProcesses(server)].map((pid) =>
    Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]),
  );
  return pages.reduce((sum, count) => sum + count, 0) / 256;
}

/** The engine processes of a server, in the order in which they were started. */
export function engineProcesses(server: number): number[] {
  const listed = execFileSync('pgrep', ['-P', String(server)], { encoding: 'utf8' });
  return listed.trim().split('\n').map(Number);
}
