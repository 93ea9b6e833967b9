// The console for a test file: what it reports is looked at after every test, and what it shows is printed after one that fails.
import { expect, onTestFinished } from 'vitest'
import { type Console, openConsole } from './console.ts'

export type { ConsolePage } from './console.ts'
export type ConsoleTest = Console

/**
 * Starts a network that serves the console, and a browser. One for a test file: `beforeAll`, and dispose in `afterAll`.
 * A page opened in a test may not have reported a problem when the test ends; what a test breaks itself it expects.
 */
export async function openConsoleTest(options?: Parameters<typeof openConsole>[0]): Promise<ConsoleTest> {
  const site = await openConsole(options)
  return {
    ...site,
    newPage: async (pageOptions) => {
      const opened = await site.newPage(pageOptions)
      onTestFinished(async ({ task }) => {
        // The limit of a test ends it without an error of its own steps.
        if (task.result?.state === 'fail') console.error(await opened.describe())
        await opened.context.close()
        expect(opened.problems).toEqual([])
      })
      return opened
    },
  }
}
