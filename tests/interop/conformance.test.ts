import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gatewayConformance, isInstalled } from './binaries.ts'
import { extractConformanceFixtures, readConformanceReport, runConformance } from './conformance.ts'
import { type Kubo, startKubo } from './kubo.ts'

it('reads the report of a Go test test by test', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-go-test-'))
  try {
    await writeFile(join(folder, 'go.mod'), 'module example\n\ngo 1.21\n')
    await writeFile(
      join(folder, 'example_test.go'),
      'package example\nimport "testing"\nfunc TestA(t *testing.T) {\n\tt.Run("good one", func(t *testing.T) {})\n\tt.Run("bad", func(t *testing.T) { t.Fail() })\n\tt.Run("left out", func(t *testing.T) { t.Skip() })\n}\n',
    )
    const done = spawnSync('go', ['test', '-json', './...'], { cwd: folder, encoding: 'utf8' })
    expect(readConformanceReport(done.stdout)).toEqual(
      expect.arrayContaining([
        { name: 'TestA/good_one', outcome: 'pass' },
        { name: 'TestA/bad', outcome: 'fail' },
        { name: 'TestA/left_out', outcome: 'skip' },
        { name: 'TestA', outcome: 'fail' },
      ]),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

describe.skipIf(!isInstalled(gatewayConformance))('the suite itself', () => {
  let kubo: Kubo
  let folder: string
  beforeAll(async () => {
    kubo = await startKubo()
    folder = await mkdtemp(join(tmpdir(), 'cairn-fixtures-'))
    const { cars } = await extractConformanceFixtures(folder)
    for (const car of cars) await kubo.run(['dag', 'import', '--pin-roots=false', car])
  })
  afterAll(async () => {
    await kubo?.[Symbol.asyncDispose]()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  it('passes against Kubo, which shows that it is run correctly', async () => {
    const results = await runConformance({
      gatewayUrl: kubo.gatewayUrl,
      subdomainUrl: kubo.gatewayUrl.replace('127.0.0.1', 'localhost'),
      specs: ['trustless-block-gateway', 'trustless-car-gateway', 'path-unixfs-gateway'],
    })
    expect(results.length).toBeGreaterThan(100)
    expect(results.filter(({ outcome }) => outcome === 'fail')).toEqual([])
  })
})
