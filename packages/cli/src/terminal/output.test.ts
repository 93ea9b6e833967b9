import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { CairnError } from '@cairn/sdk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clean, createOutput, formatTable, progressLine, textWidth } from './output.ts'
import type { Sink } from './streams.ts'

test('aligns columns, without trailing blanks', () => {
  expect(
    formatTable(
      ['CID', 'NAME'],
      [
        ['bafy', 'a'],
        ['b', 'longer'],
      ],
    ),
  ).toBe('CID   NAME\nbafy  a\nb     longer')
})

test('aligns the rows of a very large folder', () => {
  const rows = Array.from({ length: 300_000 }, (_row, i) => [`${i}`, 'x'])
  const lines = formatTable(['CID', 'NAME'], rows).split('\n')
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([300_001, 'CID     NAME', '299999  x'])
})

test('shortens the last column to the width of the terminal and keeps the others whole', () => {
  const cid = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), fc.integer({ min: 80, max: 120 }), (name, width) => {
      for (const line of formatTable(['CID', 'SIZE', 'NAME'], [[cid, '1.00 MiB', name]], width).split('\n')) {
        expect(textWidth(line)).toBeLessThanOrEqual(width)
      }
      expect(formatTable(['CID', 'NAME'], [[cid, name]], 20)).toContain(cid)
    }),
  )
})

test('lists each value in its own line if the terminal is too narrow for a table', () => {
  const rows = [
    ['bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e', '4 B', 'a.txt'],
    ['bafkreidxbzqhmjgwretfzjwejccnbad5tmcu2i6eopaqnrzl5hparnzxnq', '', '石'],
  ]
  expect(formatTable(['CID', 'SIZE', 'NAME'], rows, 40)).toBe(
    [
      'CID   bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e',
      'SIZE  4 B',
      'NAME  a.txt',
      '',
      'CID   bafkreidxbzqhmjgwretfzjwejccnbad5tmcu2i6eopaqnrzl5hparnzxnq',
      'SIZE',
      'NAME  石',
    ].join('\n'),
  )
  expect(formatTable(['CID', 'SIZE', 'NAME'], rows, 80).split('\n')).toHaveLength(3)
})

test('a progress line fits any terminal, shows its numbers beside a long name, and measures wide letters', () => {
  const progress = { phase: 'send', bytes: 512, total: 1024, bytesPerSecond: 10, remainingMs: 51_000 } as const
  for (const label of ['a.bin', '/a/very/long/path/to/a/file/in/some/folder/somewhere.bin', '石'.repeat(60)]) {
    for (const width of [20, 40, 60, 80, 200]) {
      expect(textWidth(progressLine(label, progress, width))).toBeLessThan(width)
      expect(textWidth(progressLine(label, { ...progress, total: undefined }, width))).toBeLessThan(width)
    }
    expect(progressLine(label, progress, 60)).toContain('50 %  512 B of 1.00 KiB')
  }
})

test('a terminal that does not report its width counts as one of 80 columns', async () => {
  const lines: string[] = []
  const stdout: Sink = Object.assign(
    new Writable({ write: (chunk, _encoding, done) => done(void lines.push(`${chunk}`)) }),
    {
      isTTY: true,
      columns: 0,
    },
  )
  const output = createOutput({ stdout, stderr: stdout, json: false, quiet: false, color: false })
  output.table(['ID', 'NAME'], [['1', 'a name of many letters']], [])
  expect(lines.join('')).toBe('ID  NAME\n1   a name of many letters\n')
})

test('counts East Asian letters as two columns, and combining marks as none', () => {
  expect(textWidth('石塔')).toBe(4)
  expect(textWidth('e\u0301')).toBe(1)
  const [first, second] = formatTable(['N', 'S'], [['石', 'x']]).split('\n')
  expect(first).toBe('N   S')
  expect(second).toBe('石  x')
})

test('marks a shortened text', () => {
  expect(formatTable(['NAME'], [['abcdefghijklmnop']], 8)).toBe('NAME\nabcdefg…')
})

test('names cannot move the cursor or break the line', () => {
  expect(clean('a\u001b[2Jb\u009bc\u202ed\ne')).toBe('a\\u001b[2Jb\\u009bc\\u202ed\\ne')
  expect(clean('Käse 石 👍')).toBe('Käse 石 👍')
})

test('shows part, bytes, rate and time left of a transfer in one line', () => {
  const progress = {
    phase: 'send',
    bytes: 512 * 1024,
    total: 1024 * 1024,
    bytesPerSecond: 1024,
    remainingMs: 512_000,
  } as const
  const line = progressLine('a.bin', progress, 100)
  expect(line).toContain('█')
  expect(line).toContain('50 %  512 KiB of 1.00 MiB  1.00 KiB/s  8 min 32 s left')
  for (const width of [10, 40, 80]) expect(progressLine('a.bin', progress, width).length).toBeLessThan(width)
})

test('shows progress of a stream of unknown length', () => {
  expect(
    progressLine(
      '-',
      { phase: 'send', bytes: 2048, total: undefined, bytesPerSecond: 1024, remainingMs: undefined },
      80,
    ),
  ).toBe('- 2.00 KiB  1.00 KiB/s')
})

test('never prints a control character from the server or an extra line', async () => {
  const name = 'laptop\nADMIN  all rights\r\u001b[1A\u0007\u007f\u0085\u009b2J\u2028\u202efdp.exe'
  for (const json of [false, true]) {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-output-'))
    const streams = ['out', 'err'].map((file) => createWriteStream(join(folder, file)))
    const [stdout, stderr] = streams
    if (stdout === undefined || stderr === undefined) throw new Error('two streams')
    const output = createOutput({ stdout, stderr, json, quiet: false, color: false })
    output.result({ name }, `Revoked ${name}.`)
    output.result({ name }, ['two', name])
    output.table(['ID', 'NAME'], [['1', name]], [{ id: '1', name }])
    output.note(name)
    output.error(new Error(name))
    await Promise.all(streams.map((stream) => finished(stream.end())))
    const [stdoutText = '', stderrText = ''] = ['out', 'err'].map((file) => readFileSync(join(folder, file), 'utf8'))
    rmSync(folder, { recursive: true })
    expect(`${stdoutText}${stderrText}`.replaceAll('\n', '')).not.toMatch(
      /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u,
    )
    expect(stdoutText.trimEnd().split('\n')).toHaveLength(json ? 3 : 5)
    if (json) for (const line of stdoutText.trimEnd().split('\n')) expect(JSON.parse(line)).toMatchObject({ name })
    else expect(stdoutText).toContain('laptop\\nADMIN')
  }
})

test('prints the code of an error after its message, dimmed on a terminal', () => {
  const print = (error: Error, isTTY: boolean) => {
    const lines: string[] = []
    const write: Sink['write'] = (chunk: unknown) => lines.push(String(chunk)) > 0
    const stderr: Sink = Object.assign(new Writable(), { isTTY, write })
    createOutput({ stdout: stderr, stderr, json: false, quiet: true, color: true }).error(error)
    return lines.join('').split('\n')[0]
  }
  const error = new CairnError('FILE_EXISTS', { message: 'a.txt already exists' })
  expect(print(error, false)).toBe('error: a.txt already exists [FILE_EXISTS]')
  expect(print(error, true)).toBe('\u001b[31merror:\u001b[0m a.txt already exists \u001b[2m[FILE_EXISTS]\u001b[0m')
  expect(print(new Error('x'), false)).toBe('error: x [INTERNAL]')
})

test('prints the details of an error below it, lists and records one line each; --quiet prints one value', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-output-'))
  const streams = ['out', 'err'].map((file) => createWriteStream(join(folder, file)))
  const [stdout, stderr] = streams
  if (stdout === undefined || stderr === undefined) throw new Error('two streams')
  const output = createOutput({ stdout, stderr, json: false, quiet: true, color: false })
  const details = {
    chains: ['local', 'Sepolia'],
    limitBytes: 7,
    issues: [{ field: 'body.copies', message: 'must be at most 5' }],
    nodes: [{ node: 4, code: 'TIMEOUT', message: 'Request timed out' }],
  }
  output.error(new CairnError('CHAIN_NOT_SUPPORTED', { details }))
  output.result({ cid: 'b' }, ['b  name  1 B', 'http://g/ipfs/b'], 'b')
  output.table(['ID', 'NAME'], [['1', 'a\u001b']], [{}], 'NAME')
  await Promise.all(streams.map((stream) => finished(stream.end())))
  const [stdoutText, stderrText] = ['out', 'err'].map((file) => readFileSync(join(folder, file), 'utf8'))
  rmSync(folder, { recursive: true })
  expect(stdoutText).toBe('b\na\\u001b\n')
  expect(stderrText?.split('\n').slice(2)).toEqual([
    '  chains: local, Sepolia',
    '  limitBytes: 7',
    '  body.copies must be at most 5',
    '  node 4, code TIMEOUT, Request timed out',
    '',
  ])
})
