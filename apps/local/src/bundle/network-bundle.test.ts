import { mkdtempSync, rmSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { keepNetworkBundle } from './network-bundle.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-bundle-'))
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true })
})

test('the bundle of a running network stays in use, however old it is', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  keepNetworkBundle(join(folder, 'network.js'))
  const longAgo = new Date(Date.now() - 86_400_000)
  utimesSync(folder, longAgo, longAgo)
  vi.advanceTimersByTime(3_600_000)
  await expect.poll(() => Date.now() - statSync(folder).mtimeMs).toBeLessThan(3_600_000)
})
