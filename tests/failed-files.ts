import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import type { Reporter } from 'vitest/node'

/** Where CI wants the paths of the files that failed, which it runs again. */
const target = process.env['CAIRN_TEST_FAILED_FILES']

/**
 * Writes the paths of the files that failed, one per line, to the file that CI names when a run ends. After an error outside of
 * all files, or a run that was stopped, there is no such file.
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
