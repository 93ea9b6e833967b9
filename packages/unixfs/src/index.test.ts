import { expect, it } from 'vitest'
import * as door from './index.ts'

it('exports these names and no others', () => {
  expect(Object.keys(door).sort()).toMatchInlineSnapshot(`
    [
      "UnixfsError",
      "createDirectoryTree",
      "createEntryTable",
      "createFileImporter",
      "createVerifyingSource",
      "decodeNode",
      "encodeCarFrame",
      "encodeCarHeader",
      "encodeSymlink",
      "importProfiles",
      "importSymlink",
      "listDirectory",
      "maxIdentityBytes",
      "missingBlock",
      "profileFor",
      "readCar",
      "readFile",
      "resolvePath",
      "statNode",
      "topEntry",
      "verifyBlock",
      "verifyDag",
      "walkDag",
      "writeFolder",
    ]
  `)
})
