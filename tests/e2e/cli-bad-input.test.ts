// Commands with wrong input print an error with a code, never a stack. The commands for content have their own tests,
// because with such values they would read the whole machine.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commands } from '../../packages/cli/src/commands.ts'
import { type CliHome, createCliHome } from './cli-home.ts'

let home: CliHome
beforeAll(async () => {
  home = await createCliHome()
  mkdirSync(join(home.folder, 'dir'))
  writeFileSync(join(home.folder, 'empty'), '')
  writeFileSync(join(home.folder, 'half.json'), '{"a":')
  writeFileSync(join(home.folder, 'other.json'), '[1,null,{"a":1}]')
  writeFileSync(join(home.folder, 'bytes'), Buffer.from([0, 255, 254, 1]))
})
afterAll(() => home[Symbol.asyncDispose]())

const unknownCid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const numbers = ['', ' ', '-1', '0', '1e400', 'NaN', 'many', '0x1', '99999999999999999999']
const files = ['/dev/null', '/proc/x', '/proc/self/mem', 'dir', 'empty', 'half.json', 'other.json', 'bytes']
const texts = [
  'null',
  '../..',
  unknownCid,
  'Qm',
  `0x${'0'.repeat(40)}`,
  'a'.repeat(3000),
  '\u{1F4A5}',
  ',',
  '*',
  'file:///x',
]
const values = [...numbers, ...files, ...texts]

/** Options whose value is a number, a size or a time. */
const counted = /^(at-least|count|expires|leaves|lifetime|limit|max-size|max-total|opens|parallel|token-id|ttl)$/
/** They run until they are interrupted. */
const endless = ['watch', 'mcp']

/** Runs a command line and checks what all of them promise. Returns the exit code. */
async function run(args: readonly string[]): Promise<number | null> {
  const { code, out, err } = await home.cairn(['--json', ...args])
  const shown = `cairn ${args.map((arg) => JSON.stringify(arg.slice(0, 80))).join(' ')}\n${err.slice(0, 400)}`
  expect(err, shown).not.toMatch(/\n\s+at |INTERNAL|TypeError|is not a function|\[object /)
  if (code === 0) return code
  expect(out, shown).not.toContain('    at ')
  const last = err.trim().split('\n').at(-1) ?? ''
  expect(JSON.parse(last), shown).toMatchObject({
    error: { code: expect.stringMatching(/^[A-Z][A-Z0-9_]+$/), message: expect.stringMatching(/./) },
  })
  return code
}

const first = commands.findIndex(({ name }) => name === 'import') + 1
const lines = commands.slice(first).flatMap(({ name, words = [], ...command }) =>
  (words.length > 0 ? words : [undefined]).map((word) => ({
    ...command,
    name,
    title: word === undefined ? name : `${name} ${word}`,
    line: word === undefined ? [name] : [name, word],
  })),
)

test.each(lines)('cairn $title rejects unknown options and extra arguments', async ({ line, options = {}, arity }) => {
  expect(await run([...line, '--no-such-option'])).toBe(2)
  expect(await run([...line, '--no-such-option=1', unknownCid])).toBe(2)
  if (arity[1] < 20) expect(await run([...line, ...Array.from({ length: arity[1] + 1 }, () => 'x')])).toBe(2)
  for (const [option, { type }] of Object.entries(options)) {
    expect(await run([...line, type === 'boolean' ? `--${option}=x` : `--${option}`]), option).toBe(2)
  }
})

test.each(lines.filter(({ name }) => !endless.includes(name)))(
  'cairn $title explains wrong arguments and values',
  async ({ line, options = {}, arity }) => {
    const needed = Array.from({ length: Math.max(0, arity[0] - line.length + 1) }, () => unknownCid)
    if (needed.length > 0) expect(await run(line)).toBe(2)
    for (const value of values) {
      await run([...line, '--', value])
      await run([...line, '--', unknownCid, value])
    }
    for (const [option, { type }] of Object.entries(options)) {
      if (type !== 'string') continue
      for (const value of counted.test(option) ? numbers.filter((one) => one !== '0') : values) {
        const code = await run([...line, ...needed, `--${option}=${value}`])
        if (counted.test(option)) expect(code, `--${option}=${value}`).toBe(2)
      }
    }
  },
)
