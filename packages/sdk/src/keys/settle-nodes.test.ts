import { expect, test } from 'vitest'
import { settleNodes } from './settle-nodes.ts'

test('ends calls whose answers are too late, and returns the others', async () => {
  const ended: number[] = []
  const answers = await settleNodes(
    [1, 2, 3, 4, 5],
    (node, signal) =>
      node <= 3
        ? Promise.resolve(node)
        : new Promise<never>((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              ended.push(node)
              reject(signal.reason)
            })
          }),
    { lateMs: 0 },
  )
  expect(answers.map((answer) => ('value' in answer ? answer.value : answer.error.code))).toEqual([
    1,
    2,
    3,
    'TIMEOUT',
    'TIMEOUT',
  ])
  expect(ended).toEqual([4, 5])
})
