// `npm run admin -- <command>`, and `cairn-admin` of a bundle: what an operator does, with the service's own settings, while it
// runs or not. docs/operate/administer.md tells more.
import { keepFilesPrivate } from '@cairn/service'
import { interrupted } from './admin/interrupted.ts'
import { runCommand } from './admin/run-command.ts'

keepFilesPrivate()
const { stderr } = process
const abort = new AbortController()
// A second signal ends the process at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => abort.abort(interrupted()))
let hasProgress = false
const clearProgress = (): void => {
  if (hasProgress) stderr.write('\r\x1b[K')
  hasProgress = false
}
process.exitCode = await runCommand(process.argv.slice(2), {
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
