import { expect, test } from 'vitest'
import { findNearest } from './find-nearest.ts'

test('finds what was mistyped by a letter or two or cut short, and nothing else', () => {
  const words = ['upload', 'upload-link', 'get', 'cat', 'ls', 'status', 'share', 'unshare']
  const cases = {
    uplaod: 'upload',
    uploads: 'upload',
    'upload-lnik': 'upload-link',
    gte: 'get',
    cta: 'cat',
    sl: 'ls',
    staus: 'status',
    shared: 'share',
    stat: 'status',
    uns: 'unshare',
    un: undefined,
    up: undefined,
    download: undefined,
    dog: undefined,
    steal: undefined,
    '': undefined,
  }
  for (const [typed, nearest] of Object.entries(cases)) expect(findNearest(typed, words), typed).toBe(nearest)
})
