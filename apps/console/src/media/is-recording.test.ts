import { expect, test } from 'vitest'
import { isRecording, recordingHeadBytes } from './is-recording.ts'

const bytes = (text: string) => Uint8Array.from(text.padEnd(recordingHeadBytes, '\0'), (one) => one.charCodeAt(0))

test('recognises the containers and streams that browsers play', () => {
  for (const head of [
    '\0\0\0\x20ftypisom',
    '\x1aE\xdf\xa3\x01\0\0\0',
    'OggS\0\x02',
    'RIFF\x24\x08\0\0WAVEfmt ',
    'fLaC\0\0\0\x22',
    'ID3\x04\0',
    '\xff\xfb\x90\x64',
    '\xff\xf1\x50\x80',
  ]) {
    expect(isRecording(bytes(head)), JSON.stringify(head)).toBe(true)
  }
})

test('does not mistake the noise of a wrong key, or another file, for a recording', () => {
  for (const head of ['', '\x89PNG\r\n', '%PDF-1.7', 'plain text', '\xff\xff\xff\xff', '\xff\xe0\0\0'])
    expect(isRecording(bytes(head)), JSON.stringify(head)).toBe(false)
  let seed = 7
  const next = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return (seed >>> 16) & 255
  }
  const found = Array.from({ length: 20_000 }, () => isRecording(Uint8Array.from({ length: 16 }, next))).filter(Boolean)
  expect(found.length).toBeLessThan(60)
})
