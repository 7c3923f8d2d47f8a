import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second in /proc; fixed by the kernel's interface. */
const TICKS = 100;

export interface Usage {
  cpuSeconds: number;
  /** Sum of each process's peak resident memory. Pages that processes share are counted in each. */
  peakBytes: number;
}

/** What a process and all its descendants have used so far (Linux /proc); null on other systems. */
export function usageOfTree(pid: number): Usage | null {
  try {
    const usage = { cpuSeconds: 0, peakBytes: 0 };
    for (const id of treeOf(pid)) add(usage, id);
    return usage;
  } catch {
    return null;
  }
}

function add(usage: Usage, pid: number): void {
  const fields = statOf(pid);
  usage.cpuSeconds += (Number(fields[11]) + Number(fields[12])) / TICKS;
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  usage.peakBytes += Number(peak?.[1] ?? 0) * 1024;
}

/** The fields of /proc/PID/stat after the command's name, which may hold anything. */
function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function treeOf(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      parents.set(Number(name), Number(statOf(Number(name))[1]));
    } catch {
      // It ended meanwhile.
    }
  }
  const tree = [root];
  for (const id of tree) for (const [pid, parent] of parents) if (parent === id) tree.push(pid);
  return tree;
}
