import { expect, test } from 'vitest'
import { parseOptions } from './parse-options.ts'

test('an argument that starts with a dash is an option, except after --', () => {
  expect(parseOptions(['rm', '--', '-T0x'], {}, 'link').args).toEqual(['rm', '-T0x'])
  expect(() => parseOptions(['rm', '-T0x'], {}, 'link')).toThrow(
    expect.objectContaining({
      code: 'USAGE',
      message: 'Unknown option -T',
      hint: 'Run cairn link --help for usage. Write an argument that starts with a dash after --.',
    }),
  )
})

test.each(['', ' '])('a name must not be blank: "%s"', (name) => {
  const options = { name: { type: 'string', value: 'text', about: 'name' } } as const
  expect(() => parseOptions(['file', '--name', name], options, 'upload')).toThrow(
    expect.objectContaining({ code: 'USAGE', message: '--name is empty: <text>' }),
  )
  expect(parseOptions(['file', '--name', ` ${name}a`], options, 'upload').values).toEqual({ name: ` ${name}a` })
})
