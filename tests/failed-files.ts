import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import type { Reporter } from 'vitest/node'

/** Where CI wants the paths of failed files, which it reruns. */
const target = process.env['CAIRN_TEST_FAILED_FILES']

/**
 * Writes the paths of failed files, one per line, to the file set by CI when a run ends. After an error outside all files, or
 * a stopped run, there is no such file.
 */
export const failedFiles: Reporter[] = target === undefined ? [] : [reportFailedFiles(target)]

function reportFailedFiles(target: string): Reporter {
  // A run that is killed must not leave the list of an earlier one.
  rmSync(target, { force: true })
  mkdirSync(dirname(target), { recursive: true })
  return {
    onTestRunEnd(modules, unhandledErrors, reason) {
      if (reason === 'interrupted' || unhandledErrors.length > 0) return
      const failed = modules.filter((module) => !module.ok()).map(({ moduleId }) => relative(process.cwd(), moduleId))
      writeFileSync(target, failed.map((path) => `${path}\n`).join(''))
    },
  }
}
