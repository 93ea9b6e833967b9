import { execFile } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { requireProgram } from './require-program.ts'

const run = promisify(execFile)

/** A write of an unfinished pack. */
export type PackWrite = { at: number; lengthBytes: number }

/**
 * The effect of a fault on a call: it fails, accepts no byte, accepts half of them, or the process is killed before it.
 */
export type WriteFault = 'EIO' | 'ENOSPC' | 'ZERO' | 'SHORT' | 'KILL'

/**
 * Which calls meet a fault, and the state of the other running ones: `early`, they have started and continue after the fault;
 * `late`, they have returned before it.
 */
export type FaultPlan = {
  order: 'early' | 'late'
  victims: readonly ((PackWrite & { fault: WriteFault }) | { sync: WriteFault })[]
  companions: readonly PackWrite[]
}

/** Faults at concurrent writes of packs, in programs that start with `environment`. */
export type WriteFaults = {
  environment: Record<string, string>
  /** Takes effect at the next write of a pack, and removes the notes of the previous plan. */
  plan(next: FaultPlan): void
  /** Completed writes, in any order, and how many victims met their fault, since the last plan. */
  readNotes(): { writes: PackWrite[]; metCount: number }
}

/** The write that continues one with the fault SHORT. */
export function restOf({ at, lengthBytes }: PackWrite): PackWrite {
  const acceptedBytes = Math.floor(lengthBytes / 2)
  return { at: at + acceptedBytes, lengthBytes: lengthBytes - acceptedBytes }
}

/** Compiles the library that injects the faults. */
export async function buildWriteFaults(folder: string): Promise<string> {
  const library = join(folder, 'write-faults.so')
  const source = join(import.meta.dirname, 'write-faults.c')
  await run(requireProgram('gcc', 'gcc'), ['-Wall', '-Werror', '-shared', '-fPIC', '-o', library, source, '-ldl'])
  return library
}

export function createWriteFaults(library: string, planFile: string): WriteFaults {
  const noteFile = `${planFile}.log`
  return {
    // Node uses four threads by default; the test relies on four concurrent writes.
    environment: { LD_PRELOAD: library, CAIRN_TEST_WRITE_FAULTS: planFile, UV_THREADPOOL_SIZE: '4' },
    plan({ order, victims, companions }) {
      rmSync(noteFile, { force: true })
      const lines = [
        order,
        ...victims.map((one) =>
          'sync' in one ? `victim sync 0 ${one.sync}` : `victim ${one.at} ${one.lengthBytes} ${one.fault}`,
        ),
        ...companions.map(({ at, lengthBytes }) => `companion ${at} ${lengthBytes}`),
      ]
      writeFileSync(planFile, `${lines.join('\n')}\n`)
    },
    readNotes() {
      const notes = existsSync(noteFile) ? readFileSync(noteFile, 'utf8').split('\n') : []
      const writes: PackWrite[] = []
      for (const note of notes) {
        const [, at, length] = /^write (\d+) (\d+) /.exec(note) ?? []
        if (at !== undefined) writes.push({ at: Number(at), lengthBytes: Number(length) })
      }
      writes.sort((a, b) => a.at - b.at)
      return { writes, metCount: notes.filter((note) => note.startsWith('met ')).length }
    },
  }
}
