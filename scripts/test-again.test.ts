import { expect, test } from 'vitest'
import { chooseFiles } from './test-again.ts'

test('reruns only a few failed files', () => {
  expect(chooseFiles('a.test.ts\nb.test.ts\n')).toEqual(['a.test.ts', 'b.test.ts'])
  expect(chooseFiles('')).toBeUndefined()
  expect(chooseFiles('a\nb\nc\nd\ne\n')).toBeUndefined()
})
