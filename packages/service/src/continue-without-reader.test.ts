import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

test('a program finishes its work when nothing reads its output any more', async () => {
  const program = `
    import { continueWithoutReader } from ${JSON.stringify(import.meta.resolve('./continue-without-reader.ts'))}
    import { once } from 'node:events'
    continueWithoutReader()
    process.stdout.write('first\\n')
    await once(process.stdin.resume(), 'end')
    for (let line = 0; line < 100; line++) {
      process.stdout.write('more\\n')
      await new Promise(setImmediate)
    }
    process.stderr.write('finished')
    process.exitCode = 3`
  const child = spawn(process.execPath, ['--conditions=@cairn/source', '--input-type=module', '-e', program])
  const ended = once(child, 'close')
  const complaints = text(child.stderr)
  await once(child.stdout, 'data')
  child.stdout.destroy()
  child.stdin.end()
  expect(await complaints).toBe('finished')
  expect((await ended)[0]).toBe(3)
})
