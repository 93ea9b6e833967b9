import { readFileSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Starts the files that run suites before the others of their project. Without times of an earlier run, Vitest starts large files
 * first, and the duration of a suite does not show in the size of the file that runs it: the longest would start last,
 * while the other workers are idle.
 */
export class SuitesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const projects = [...new Set(sorted.map(({ project }) => project))]
    return projects.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project)
      return [...own.filter(runsSuites), ...own.filter((file) => !runsSuites(file))]
    })
  }
}

function runsSuites({ moduleId }: TestSpecification): boolean {
  return readFileSync(moduleId, 'utf8').includes(".suite.ts'")
}
