import { expect, test } from 'vitest'
import { choosePreview } from './preview-kind.ts'

test.each([
  ['a.png', 'image/png', 'image'],
  ['a.bin', 'image/jpg', 'image'],
  ['a.svg', null, 'svg'],
  ['a.html', 'text/html', 'text'],
  ['a.html', null, 'text'],
  ['a.xhtml', 'application/xhtml+xml', 'text'],
  ['a.json', 'application/json; charset=utf-8', 'text'],
  ['README.md', 'application/octet-stream', 'text'],
  ['a.mp4', 'application/octet-stream', 'video'],
  ['a.mov', 'video/quicktime', 'video'],
  ['a.MOV', 'application/octet-stream', 'video'],
  ['a.ogg', 'audio/ogg', 'audio'],
  ['a.pdf', 'application/pdf', 'pdf'],
  ['a.pdf', 'application/octet-stream', 'pdf'],
  ['a.docx', 'application/octet-stream', 'office'],
  ['a', 'application/epub+zip', 'office'],
  ['a.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'office'],
  ['a.odt', null, 'office'],
  ['a.odp', null, 'office'],
  ['a', 'application/vnd.oasis.opendocument.presentation', 'office'],
  ['a', 'application/vnd.oasis.opendocument.spreadsheet', 'office'],
  ['a.doc', 'application/msword', 'none'],
  ['map.geojson', null, 'text'],
  ['LICENSE', null, 'text'],
  ['Dockerfile', 'application/octet-stream', 'text'],
  ['.gitignore', null, 'text'],
  ['license.exe', null, 'none'],
  ['.DS_Store', null, 'none'],
  ['a.exe', null, 'none'],
  ['', null, 'none'],
])('%s of type %s is shown as %s', (name, type, kind) => {
  expect(choosePreview(name, type).kind).toBe(kind)
})

test('no preview gives bytes a type that can run scripts', () => {
  for (const [name, type] of [
    ['a.html', 'text/html'],
    ['a.js', 'application/javascript'],
    ['a.xml', 'application/xml'],
    ['a.pdf', 'application/pdf'],
    ['a.swf', 'application/x-shockwave-flash'],
    ['constructor', 'constructor'],
  ] as const) {
    expect(['text/plain', 'application/octet-stream']).toContain(choosePreview(name, type).type)
  }
})
