import { describeFailure } from './describe-failure.ts'

/**
 * Writes a failure of the page into the log of the browser.
 * @param place the components around the failure, as React names them
 */
export function logFailure(what: string, error: unknown, place?: string): void {
  // biome-ignore lint/suspicious/noConsole: the log of the browser is the only place where developers see failures of a page.
  console.error(describeFailure(what, error, place))
}
