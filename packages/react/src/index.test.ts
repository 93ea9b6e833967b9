import { expect, it } from 'vitest'
import * as entry from './index.ts'

it('exports exactly these names', () => {
  expect(Object.keys(entry).sort()).toMatchInlineSnapshot(`
    [
      "CairnProvider",
      "useBalance",
      "useCairn",
      "useFiles",
      "useName",
      "useOpenFile",
      "usePay",
      "useShare",
      "useUpload",
      "useUsage",
    ]
  `)
})
