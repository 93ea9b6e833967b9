import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** A process of this machine. */
export type RunningProcess = { pid: number; parent: number; command: string }

/** Every process started by a process, and their descendants. */
export function descendantsOf(pid: number): RunningProcess[] {
  const all = listProcesses()
  const found: RunningProcess[] = []
  const wanted = new Set([pid])
  // A parent may follow its child in the list.
  for (let before = -1; before !== found.length; ) {
    before = found.length
    for (const one of all) {
      if (!wanted.has(one.parent) || wanted.has(one.pid)) continue
      wanted.add(one.pid)
      found.push(one)
    }
  }
  return found
}

/** Whether a process runs; a zombie does not. */
export function isRunning(pid: number): boolean {
  return listProcesses().some((one) => one.pid === pid)
}

/** Resident memory of several processes together, in MiB; shared pages count for each. */
export function residentMib(pids: readonly number[]): number {
  const kib = pids.map((pid) => {
    if (!existsSync('/proc/self/status')) return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]))
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  })
  return Math.round(kib.reduce((sum, one) => sum + one, 0) / 1024)
}

function listProcesses(): RunningProcess[] {
  return existsSync('/proc/self/stat') ? readProc() : runPs()
}

function readProc(): RunningProcess[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name)
    if (!Number.isInteger(pid)) return []
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      // The name, in brackets, may contain anything.
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (state === 'Z') return []
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      return [{ pid, parent: Number(parent), command }]
    } catch {
      // It exited meanwhile.
      return []
    }
  })
}

function runPs(): RunningProcess[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,command='], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => {
    const [, pid, parent, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
    return pid === undefined || state?.startsWith('Z')
      ? []
      : [{ pid: Number(pid), parent: Number(parent), command: command ?? '' }]
  })
}
