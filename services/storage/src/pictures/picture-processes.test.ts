// The processes that resize pictures crash and exit.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { makePicture, openPictureGateway } from './picture-gateway.fixture.ts'
import { readPictureOptions } from './picture-options.ts'

test.runIf(process.platform === 'linux')(
  'a crashed process fails its picture, and the next picture gets another process',
  async () => {
    await using gateway = await openPictureGateway()
    const bytes = await makePicture('jpeg')
    const options = readPictureOptions(new URLSearchParams('w=10'), undefined)!
    const ask = (cid: string, onRead: () => void) =>
      gateway.pictures.get({
        cid,
        sizeBytes: bytes.length,
        options,
        *read() {
          onRead()
          yield bytes
        },
        address: '192.0.2.1',
        signal: new AbortController().signal,
      })
    const children = () => readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').match(/\d+/g) ?? []
    const before = new Set(children())
    const dying = ask('dying', () => {
      for (const pid of children()) if (!before.has(pid)) process.kill(Number(pid), 'SIGKILL')
    })
    await expect(dying).rejects.toMatchObject({ code: 'INTERNAL' })
    expect((await ask('next', () => undefined)).contentType).toBe('image/jpeg')
  },
)

test('idle processes do not keep a program running, and closing waits until they have exited', async () => {
  const program = `
    import { readFileSync } from 'node:fs'
    import { createPictureProcesses } from '${new URL('./picture-processes.ts', import.meta.url)}'
    import { pictureLimits } from '${new URL('./pictures.ts', import.meta.url)}'
    const options = ${JSON.stringify(readPictureOptions(new URLSearchParams('w=10'), undefined))}
    const processes = createPictureProcesses({ max: 1, limits: pictureLimits, timeLimitMs: 60_000 })
    const read = () => [readFileSync(0)]
    const { kind } = await processes.render({ options, read }, new AbortController().signal)
    if (kind !== 'rendered') process.exit(1)
    if (process.argv.includes('close')) await processes.close()`
  const bytes = await makePicture('jpeg')
  for (const end of ['close', 'leave']) {
    const args = ['--conditions=@cairn/source', '--input-type=module', '-e', program, end]
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'inherit'] })
    child.stdin.end(bytes)
    expect([end, ...(await once(child, 'exit'))]).toEqual([end, 0, null])
  }
})
