import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

/** A PDF of pages with one line each, which tries to run a script and open an address. */
export function makePdf(lines: readonly string[]): Uint8Array {
  const pages = lines.map((_line, i) => `${5 + i * 2} 0 R`).join(' ')
  return writePdf([
    '<< /Type /Catalog /Pages 2 0 R /OpenAction 4 0 R >>',
    `<< /Type /Pages /Kids [${pages}] /Count ${lines.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /S /JavaScript /JS (app.alert\\("run"\\); this.submitForm\\("https://example.org"\\)) >>',
    ...lines.flatMap((line, i) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources << /Font << /F1 3 0 R >> >> /Contents ${6 + i * 2} 0 R /AA << /O 4 0 R >> /Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 300 200] /A << /S /URI /URI (https://example.org/) >> >>] >>`,
      writeStream('', `0.1 0.2 0.8 rg 20 20 100 60 re f BT /F1 24 Tf 20 120 Td (${line}) Tj ET`),
    ]),
  ])
}

/**
 * One image of 16 by 16 pixels, its left half dark and its right half bright, in three encodings of scanners: JPEG 2000
 * as OpenJPEG 2.5 wrote it, fax (Group 4) as libtiff wrote it, and JBIG2 with the same fax bytes in a region.
 * @see ITU-T T.800, T.6, T.88
 */
const scans = [
  {
    filter: '/JPXDecode',
    parameters: 'null',
    form: '/ColorSpace /DeviceRGB /BitsPerComponent 8',
    hex: 'ff4fff51002f000000000010000000100000000000000000000000100000001000000000000000000003070101070101070101ff52000c00000001000404040001ff5c00104040484850484850484850484850ff640025000143726561746564206279204f70656e4a5045472076657273696f6e20322e352e34ff90000a00000000008f0001ff93c7d404097fc7d40208c7d404045fcfc008015bcfc00802e3cfc0080587c7da0a0008f062a783c7da080008f11a77c7da0a00023903bc05cfc020172cae810a0d3f8fc7da1200172bc83dfa14509f9fc7da0e0017d7ca3e1de22bc7da1200216e07f10ef94877ddc7da1200216e0cce7dd80dc8d3c7da1200221a0ec54d38484a02ffd9',
  },
  {
    filter: '/CCITTFaxDecode',
    parameters: '<< /K -1 /Columns 16 /Rows 16 >>',
    form: '/ColorSpace /DeviceGray /BitsPerComponent 1',
    hex: '26a2fffffffffffe002002',
  },
  {
    filter: '/JBIG2Decode',
    parameters: 'null',
    form: '/ColorSpace /DeviceGray /BitsPerComponent 1',
    hex: '000000003000010000001300000010000000100000000000000000000000000000012600010000001d00000010000000100000000000000000000126a2fffffffffffe002002',
  },
]

/** A page of three scanned images side by side, and a line of Japanese in a font that is referenced but not embedded. */
export function makeScannedPdf(): Uint8Array {
  const names = scans.map((_scan, i) => `/I${i} ${8 + i} 0 R`).join(' ')
  const drawn = scans.map((_scan, i) => `q 100 0 0 100 ${i * 100} 0 cm /I${i} Do Q`).join(' ')
  return writePdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources << /Font << /F1 5 0 R >> /XObject << ${names} >> >> /Contents 4 0 R >>`,
    writeStream('', `${drawn} BT /F1 24 Tf 20 140 Td <65e5672c8a9e> Tj ET`),
    '<< /Type /Font /Subtype /Type0 /BaseFont /HeiseiMin-W3 /Encoding /UniJIS-UCS2-H /DescendantFonts [6 0 R] >>',
    '<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HeiseiMin-W3 /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /FontDescriptor 7 0 R >>',
    '<< /Type /FontDescriptor /FontName /HeiseiMin-W3 /Flags 6 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>',
    ...scans.map(({ filter, parameters, form, hex }) =>
      writeStream(
        `/Type /XObject /Subtype /Image /Width 16 /Height 16 ${form} /Filter [/ASCIIHexDecode ${filter}] /DecodeParms [null ${parameters}]`,
        `${hex}>`,
      ),
    ),
  ])
}

/**
 * Two pages. The first is an image of 2048 by 2048 pixels, whose colours are computed by a program of thousands of steps, pixel
 * by pixel and without a pause: minutes of work in a file of some kilobytes.
 */
export function makeEndlessPdf(line: string): Uint8Array {
  const width = 2048
  const program = `{ pop ${'sin cos '.repeat(2_000)} }`
  const pixels = deflateSync(Buffer.alloc(2 * width * width)).toString('latin1')
  return writePdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources << /XObject << /I 5 0 R >> >> /Contents 6 0 R >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources << /Font << /F1 8 0 R >> >> /Contents 7 0 R >>',
    writeStream(
      `/Type /XObject /Subtype /Image /Width ${width} /Height ${width} /BitsPerComponent 8 /ColorSpace [/DeviceN [/A /B] /DeviceGray 9 0 R] /Filter /FlateDecode`,
      pixels,
    ),
    writeStream('', 'q 300 0 0 200 0 0 cm /I Do Q'),
    writeStream('', `BT /F1 24 Tf 20 120 Td (${line}) Tj ET`),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    writeStream('/FunctionType 4 /Domain [0 1 0 1] /Range [0 1]', program),
  ])
}

/** The padding of passwords, up to 32 bytes. */
const padding = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex')
const padded = (password: string) => Buffer.concat([Buffer.from(password, 'latin1'), padding]).subarray(0, 32)
const md5 = (...parts: Uint8Array[]) => createHash('md5').update(Buffer.concat(parts)).digest()

/** The cipher of the first protected PDFs, which libraries no longer offer. */
function rc4(key: Uint8Array, bytes: Uint8Array): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, i) => i)
  const at = (i: number) => state[i & 255] ?? 0
  const swap = (i: number, j: number) => {
    const kept = at(i)
    state[i & 255] = at(j)
    state[j & 255] = kept
  }
  let j = 0
  for (let i = 0; i < 256; i++) {
    j = (j + at(i) + (key[i % key.length] ?? 0)) & 255
    swap(i, j)
  }
  j = 0
  return Buffer.from(
    bytes.map((byte, n) => {
      j = (j + at(n + 1)) & 255
      swap(n + 1, j)
      return byte ^ at(at(n + 1) + at(j))
    }),
  )
}

/** A PDF of one line that opens with a password. @see ISO 32000-1, 7.6.3, revision 2 */
export function makeProtectedPdf(line: string, password: string): Uint8Array {
  const id = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')
  const permissions = Buffer.from('fcffffff', 'hex')
  const owner = rc4(md5(padded('owner')).subarray(0, 5), padded(password))
  const key = md5(padded(password), owner, permissions, id).subarray(0, 5)
  const content = Buffer.from(`BT /F1 24 Tf 20 120 Td (${line}) Tj ET`, 'latin1')
  const contentNumber = 5
  const ownKey = md5(key, Buffer.from([contentNumber, 0, 0, 0, 0])).subarray(0, 10)
  return writePdf(
    [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [4 0 R] /Count 1 >>',
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources << /Font << /F1 3 0 R >> >> /Contents ${contentNumber} 0 R >>`,
      writeStream('', rc4(ownKey, content).toString('latin1')),
      `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${owner.toString('hex')}> /U <${rc4(key, padding).toString('hex')}> >>`,
    ],
    `/Encrypt 6 0 R /ID [<${id.toString('hex')}> <${id.toString('hex')}>]`,
  )
}

function writeStream(entries: string, content: string): string {
  return `<< ${entries} /Length ${content.length} >>\nstream\n${content}\nendstream`
}

/** Numbers the objects from 1 and writes them with their table. @see ISO 32000-1, 7.5 */
function writePdf(objects: readonly string[], trailer = ''): Uint8Array {
  let text = '%PDF-1.7\n'
  const places = objects.map((object, i) => {
    const at = text.length
    text += `${i + 1} 0 obj\n${object}\nendobj\n`
    return at
  })
  const start = text.length
  const rows = places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.from(text, 'latin1')
}
