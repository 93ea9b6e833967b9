import { expect, it } from 'vitest'
import * as door from './index.ts'

it('exports exactly these names', () => {
  expect(Object.keys(door).sort()).toMatchInlineSnapshot(`
    [
      "UnixfsError",
      "createAnnotator",
      "createDirectoryTree",
      "createEntryTable",
      "createFileImporter",
      "createVerifyingSource",
      "decodeNode",
      "encodeCarFrame",
      "encodeCarHeader",
      "encodeSymlink",
      "hashBlock",
      "hashFunctions",
      "importProfiles",
      "importSymlink",
      "leafNode",
      "listDirectory",
      "loadBlock",
      "loadDirectoryTree",
      "loadNode",
      "maxCidCharacters",
      "maxIdentityBytes",
      "missingBlock",
      "packCids",
      "packLinks",
      "profileFor",
      "readCar",
      "readFile",
      "requireCodec",
      "requireHashFunction",
      "resolvePath",
      "sortAsWalked",
      "statNode",
      "topEntry",
      "verifyBlock",
      "verifyDag",
      "walkDag",
      "writeFolder",
    ]
  `)
})
