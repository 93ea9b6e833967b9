import { expect, test } from 'vitest'
import { readMediaType } from './media-type.ts'

test.each([
  ['image/png', 'image/png'],
  ['Text/HTML', 'text/html'],
  ['text/html; charset=utf-8', 'text/html'],
  ['text/html;charset="utf-8" ; a=b;', 'text/html'],
  ['multipart/mixed; boundary="a \\" b"', 'multipart/mixed'],
  ['application/vnd.oasis.opendocument.text', 'application/vnd.oasis.opendocument.text'],
  ['image/svg+xml', 'image/svg+xml'],
  ['application/x_y!#$&-^.1', 'application/x_y!#$&-^.1'],
  [`a/${'b'.repeat(127)}`, `a/${'b'.repeat(127)}`],
])('%s is %s', (text, type) => expect(readMediaType(text)).toBe(type))

test.each([
  '',
  'null',
  'no thing',
  'text',
  'text/',
  '/plain',
  'text/plain/x',
  'text/pl ain',
  ' text/plain',
  'text/plain\n',
  'text/plain, text/html',
  'text/plain; charset',
  'text/plain; charset=',
  'text/plain; charset = utf-8',
  'text/plain; a="b',
  'text/*',
  '+x/y',
  'text/größe',
  `a/${'b'.repeat(128)}`,
])('%j is not a media type', (text) => expect(readMediaType(text)).toBeUndefined())

test('evaluates long and hostile texts at once', () => {
  for (const part of ['; ', ';', ' ', '; a=b', '; a="', '\\"']) {
    expect(readMediaType(`text/plain${part.repeat(50_000)}\u0000`)).toBeUndefined()
  }
})
