import { CairnError } from '@cairn/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codeOf } from '../../../../tests/code-of.ts'
import { readBoundary } from './boundary.ts'
import { freedFeedFrom } from './freed-feed.fixture.ts'
import { createMultipartParser, type MultipartLimits } from './multipart-parser.ts'
import type { PartHead } from './part-head.ts'
import { readMultipart } from './read-multipart.ts'

type Part = PartHead & { bytes: Buffer; ended: boolean }

async function read(pieces: Iterable<Uint8Array>, boundary = 'b', limits?: MultipartLimits): Promise<Part[]> {
  const parts: Part[] = []
  const sent: Uint8Array[] = []
  const source = (async function* () {
    for (const piece of pieces) {
      sent.push(piece)
      yield piece
    }
  })()
  await readMultipart(
    freedFeedFrom(source),
    boundary,
    (head) => {
      const part: Part = { ...head, bytes: Buffer.alloc(0), ended: false }
      const pieces: Buffer[] = []
      parts.push(part)
      return {
        write: (piece) => {
          expect(part.ended).toBe(false)
          pieces.push(Buffer.from(piece))
        },
        end: () => {
          part.ended = true
          part.bytes = Buffer.concat(pieces)
        },
      }
    },
    limits,
  )
  const body = Buffer.concat(sent)
  for (const { ended, bodyOffset, bytes } of parts) {
    expect(ended).toBe(true)
    expect(body.subarray(bodyOffset, bodyOffset + bytes.length).equals(bytes)).toBe(true)
  }
  return parts
}

const readText = (text: string, boundary?: string, limits?: MultipartLimits) =>
  read([Buffer.from(text)], boundary, limits)

function part(name: string, content: string | Uint8Array, boundary = 'b'): Buffer {
  return Buffer.concat([
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ])
}

describe('multipart', () => {
  it('reads parts, their names and their types', async () => {
    const parts = await read([part('a.txt', 'one'), part('b/ü.txt', ''), Buffer.from('--b--\r\n')])
    expect(parts.map(({ fileName, bytes, contentType }) => [fileName, `${bytes}`, contentType])).toEqual([
      ['a.txt', 'one', 'application/octet-stream'],
      ['b/ü.txt', '', 'application/octet-stream'],
    ])
  })

  it('skips a preamble and an epilogue, and blanks after a delimiter', async () => {
    const parts = await readText('hello\r\n--b \t \r\n\r\nx\r\n--b--\r\nbye\r\n--b\r\n')
    expect(parts.map(({ bytes }) => `${bytes}`)).toEqual(['x'])
  })

  it('keeps content that resembles a delimiter', async () => {
    const tricky = [
      '--b',
      '\r\n--',
      '\r\n--c',
      '\r\n--bx',
      '\r\n--b-x',
      '\r\n--b \rx',
      '\r\r\n-',
      '\r\n--b\r',
      '\n--b--\n',
    ]
    for (const content of ['\r', '\r\n', ...tricky.map((text) => `${text}.`)]) {
      const body = content.startsWith('--b') ? `.${content}` : content
      const parts = await readText(`--b\r\n\r\n${body}\r\n--b--`)
      expect(parts.map(({ bytes }) => `${bytes}`)).toEqual([body])
    }
  })

  it('reads an empty part whether or not its delimiter has a separate line break', async () => {
    expect((await readText('--b\r\n\r\n--b--')).map(({ bytes }) => bytes.length)).toEqual([0])
    expect((await readText('--b\r\nA: b\r\n\r\n--b\r\n\r\n\r\n--b--')).map(({ bytes }) => bytes.length)).toEqual([0, 0])
  })

  it('rejects a body without its end', async () => {
    for (const text of [
      '',
      'x',
      '--b',
      '--b\r\n',
      '--b\r\n\r\nx',
      '--b\r\n\r\nx\r\n--b',
      '--b\r\n\r\nx\r\n--b-',
      '--b\r\nA: b\r\n',
    ]) {
      expect(await codeOf(readText(text))).toBe('INVALID_MULTIPART')
    }
  })

  it('rejects too many parts, overlong headers, too many of them, and endless margins', async () => {
    const many = `${'--b\r\n\r\n\r\n'.repeat(5)}--b--`
    expect(await codeOf(readText(many, 'b', { maxParts: 4 }))).toBe('TOO_MANY_PARTS')
    expect(await readText(many, 'b', { maxParts: 5 })).toHaveLength(5)
    const long = `--b\r\nX: ${'a'.repeat(70_000)}`
    expect(await codeOf(readText(long))).toBe('HEADER_TOO_LARGE')
    expect(await codeOf(readText(`${long}\r\n\r\n\r\n--b--`))).toBe('HEADER_TOO_LARGE')
    expect(await codeOf(read(chop(Buffer.from(long), 1)))).toBe('HEADER_TOO_LARGE')
    expect(await codeOf(readText(`--b\r\n${'A: b\r\n'.repeat(40)}\r\n\r\n--b--`))).toBe('INVALID_MULTIPART')
    expect(await codeOf(readText('x'.repeat(70_000)))).toBe('INVALID_MULTIPART')
    expect(await codeOf(readText(`--b--${'x'.repeat(70_000)}`))).toBe('INVALID_MULTIPART')
  })

  it('rejects malformed headers', async () => {
    const bad = [
      'no colon',
      ' folded: x',
      'A : b',
      'A: \0',
      'A: b\nC: d',
      'Content-Disposition: form-data; name="x',
      'Content-Transfer-Encoding: base64',
      `Content-Disposition: form-data; filename*=latin1''x`,
      `Content-Disposition: form-data; filename*=UTF-8''%zz`,
    ]
    for (const line of bad)
      await expect(codeOf(readText(`--b\r\n${line}\r\n\r\nx\r\n--b--`)), line).resolves.toBe('INVALID_MULTIPART')
    const notUtf8 = Buffer.concat([Buffer.from('--b\r\nA: '), Buffer.from([0xff]), Buffer.from('\r\n\r\n\r\n--b--')])
    expect(await codeOf(read([notUtf8]))).toBe('INVALID_MULTIPART')
  })

  it('reads file names as clients send them', async () => {
    const names: [string, string | undefined][] = [
      ['form-data; name="file"; filename="a.txt"', 'a.txt'],
      ['form-data; name=file; filename=a.txt', 'a.txt'],
      ['form-data; name="file"; filename="a\\"b\\\\c.txt"', 'a"b\\c.txt'],
      ['form-data; name="file"; filename="a"b".txt"', 'a"b".txt'],
      ['form-data; name="file"; filename="C:\\dir\\a.txt"', 'C:\\dir\\a.txt'],
      // A backslash at the end, as browsers and curl send it, and escaped; a quote at the end, escaped.
      ['form-data; name="file"; filename="C:\\dir\\"', 'C:\\dir\\'],
      ['form-data; name="file"; filename="end\\" ; ', 'end\\'],
      ['form-data; name="file"; filename="end\\\\"', 'end\\'],
      ['form-data; name="file"; filename="end\\""', 'end"'],
      ['form-data; name="file"; filename="x\\"; filename*=UTF-8\'\'other"', "x\"; filename*=UTF-8''other"],
      ['form-data; name="file"; filename="a%22b%20c 100%+.txt"', 'a"b%20c 100%+.txt'],
      ['form-data; name="file"; filename="a; b=c.txt"', 'a; b=c.txt'],
      [`form-data; name="file"; filename="x"; filename*=UTF-8''gr%C3%BC%C3%9Fe.txt`, 'grüße.txt'],
      ['form-data; name="file"; filename="日本/🙂.txt"', '日本/🙂.txt'],
      ['form-data; name="file"; filename=""', ''],
      ['form-data; name="file"', undefined],
      ['file; filename="few%2Ff1"; name="file?mode=0644&mtime=12"', 'few%2Ff1'],
    ]
    for (const [line, expected] of names) {
      const [found] = await readText(`--b\r\ncontent-disposition: ${line}\r\n\r\nx\r\n--b--`)
      expect([line, found?.fileName]).toEqual([line, expected])
    }
  })

  it('returns the same parts however the stream is cut', async () => {
    const content = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes))
    const nasty = fc
      .array(fc.constantFrom('\r', '\n', '-', '--', 'bo', '\r\n--bo', '\r\n--bo-', '\r\n--b', ' ', 'x'), {
        maxLength: 12,
      })
      .map((pieces) => Buffer.from(`.${pieces.join('')}`))
      .filter((bytes) => !/\r\n--bo(?:--|[ \t]*\r\n)/.test(`${bytes}\r\n`))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(content, nasty), { maxLength: 5 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 40 })),
        async (contents, sizes) => {
          fc.pre(contents.every((bytes) => !bytes.includes('--bo') || bytes[0] === 46))
          const body = Buffer.concat([
            ...contents.map((bytes, index) => part(`f${index}`, bytes, 'bo')),
            Buffer.from('--bo--\r\n'),
          ])
          const pieces: Buffer[] = []
          for (let at = 0; at < body.length; ) {
            const size = sizes.next().value
            pieces.push(body.subarray(at, at + size))
            at += size
          }
          const parts = await read(pieces, 'bo')
          expect(parts.map(({ fileName }) => fileName)).toEqual(contents.map((_, index) => `f${index}`))
          expect(parts.map(({ bytes }) => bytes.toString('latin1'))).toEqual(
            contents.map((bytes) => bytes.toString('latin1')),
          )
        },
      ),
      { numRuns: 300 },
    )
  })

  it('answers any bytes with parts or an error of ours', async () => {
    const token = fc.constantFrom(
      '--b',
      '--b--',
      '\r\n',
      '\r',
      '\n',
      ':',
      ';',
      '"',
      '\\',
      '=',
      'Content-Disposition: ',
      'filename*=',
      'filename="',
      `UTF-8''`,
      '%',
      '\0',
      'a',
      'é',
    )
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array({ maxLength: 300 }),
          fc.array(token, { maxLength: 40 }).map((all) => Buffer.from(all.join(''))),
        ),
        fc.integer({ min: 1, max: 50 }),
        async (bytes, size) => {
          const outcome = await read(chop(Buffer.from(bytes), size), 'b', {
            maxMarginBytes: 100,
            maxPartHeaderBytes: 100,
          }).catch((error: unknown) => error)
          expect(Array.isArray(outcome) || CairnError.is(outcome)).toBe(true)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('waits for a part that cannot accept more', async () => {
    const taken: string[] = []
    let release = () => {}
    const parser = createMultipartParser('b', async () => ({
      write: (piece) => {
        taken.push(`${Buffer.from(piece)}`)
        return new Promise<void>((resolve) => {
          release = resolve
        })
      },
      end: () => {
        taken.push('end')
      },
    }))
    const pending = parser.write(Buffer.from('--b\r\n\r\none\r\n--b--'))
    await new Promise(setImmediate)
    expect(taken).toEqual(['one'])
    release()
    await pending
    expect(taken).toEqual(['one', 'end'])
    parser.end()
  })
})

describe('the boundary', () => {
  it('is read from the content type', () => {
    expect(readBoundary('multipart/form-data; boundary=----WebKitFormBoundaryabc')).toBe('----WebKitFormBoundaryabc')
    expect(readBoundary('Multipart/Form-Data; charset=x; Boundary="a b:c"')).toBe('a b:c')
  })

  it('is rejected if it is missing or invalid', () => {
    for (const [type, code] of [
      [undefined, 'UNSUPPORTED_MEDIA_TYPE'],
      ['application/json', 'UNSUPPORTED_MEDIA_TYPE'],
      ['multipart/form-data', 'INVALID_MULTIPART'],
      ['multipart/form-data; boundary=', 'INVALID_MULTIPART'],
      [`multipart/form-data; boundary=${'a'.repeat(71)}`, 'INVALID_MULTIPART'],
      ['multipart/form-data; boundary="a\u00e9"', 'INVALID_MULTIPART'],
    ] as const) {
      try {
        readBoundary(type)
        expect.unreachable(`${type}`)
      } catch (error) {
        expect(CairnError.is(error) && error.code).toBe(code)
      }
    }
  })
})

function chop(bytes: Buffer, size: number): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
  return pieces
}
