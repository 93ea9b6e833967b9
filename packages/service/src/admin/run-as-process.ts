import { continueWithoutReader } from '../continue-without-reader.ts'
import { keepFilesPrivate } from '../private-files.ts'
import { interrupted } from './interrupted.ts'
import { type AdminTool, runTool } from './run-tool.ts'

/** Runs a tool as the process: its arguments, streams, signals and exit code. */
export async function runToolAsProcess<Input>(tool: AdminTool<Input>): Promise<void> {
  keepFilesPrivate()
  continueWithoutReader()
  const { stderr } = process
  const abort = new AbortController()
  // A second signal ends the process at once.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => abort.abort(interrupted()))
  let hasProgress = false
  const clearProgress = (): void => {
    if (hasProgress) stderr.write('\r\x1b[K')
    hasProgress = false
  }
  process.exitCode = await runTool(tool, process.argv.slice(2), {
    // biome-ignore lint/style/noProcessEnv: a program reads its settings.
    environment: process.env,
    write(line) {
      clearProgress()
      process.stdout.write(`${line}\n`)
    },
    complain(line) {
      clearProgress()
      stderr.write(`${line}\n`)
    },
    signal: abort.signal,
    showProgress(text) {
      if (!stderr.isTTY) return
      stderr.write(`\r\x1b[K${text}`)
      hasProgress = true
    },
  })
  clearProgress()
}
