// The console for a test file: its reports are checked after every test, and its content is printed after a failure.
import { expect, onTestFinished } from 'vitest'
import { type Console, openConsole } from './console.ts'

export type { ConsolePage } from './console.ts'
export type ConsoleTest = Console

/**
 * Starts a network that serves the console, and a browser, once per test file: in `beforeAll`, disposed in `afterAll`.
 * A page opened in a test must have reported no problem when the test ends; a test expects what it breaks itself.
 */
export async function openConsoleTest(options?: Parameters<typeof openConsole>[0]): Promise<ConsoleTest> {
  const site = await openConsole(options)
  return {
    ...site,
    newPage: async (pageOptions) => {
      const opened = await site.newPage(pageOptions)
      onTestFinished(async ({ task }) => {
        // The time limit ends a test without an error in its own steps.
        if (task.result?.state === 'fail') console.error(await opened.describe())
        await opened.context.close()
        expect(opened.problems).toEqual([])
      })
      return opened
    },
  }
}
