import { expect, test } from 'vitest'
import { readKeyNodeConfig } from '../../config.ts'
import { digestOf } from '../store.ts'
import type { PeerStatement } from './peers.ts'
import { findAgreed } from './repair.ts'

const peers = [2, 3, 4, 5].map(
  (node) => `${node}=http://127.0.0.1:9#did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK`,
)
const config = readKeyNodeConfig({
  CAIRN_KEYNODE_NUMBER: '1',
  CAIRN_KEYNODE_SECRET: '11'.repeat(32),
  CAIRN_KEYNODE_PEERS: peers.join(','),
})

function state(node: number, version: number, sharedTo: string[] = []): PeerStatement {
  const owner = `0x${'a'.repeat(40)}`
  const rights = { owner, conditions: null, set_id: 's', successor: null, isRetired: false, sharedTo }
  return {
    node,
    cid: 'c',
    owner,
    version,
    digest: digestOf(rights),
    state: 'held',
    setId: 's',
    shardSet: null,
    pendingSetIds: [],
    sharedTo,
    conditions: null,
    successor: null,
  }
}

test('three honest peers bound the version, however high one or two lie', () => {
  expect(findAgreed({ config }, [state(2, 2), state(3, 1000), state(4, 2)])?.version).toBe(2)
  expect(findAgreed({ config }, [state(2, 2), state(3, 1000), state(4, 999)])?.version).toBe(2)
  expect(findAgreed({ config }, [state(2, 1), state(3, 1000), state(4, 3), state(5, 2)])?.version).toBe(2)
  expect(findAgreed({ config }, [state(2, 3), state(3, 3), state(4, 3)])?.version).toBe(3)
})

test('ignores two peers that agree, and a statement whose rights do not match its digest', () => {
  expect(findAgreed({ config }, [state(2, 3), state(3, 3), state(4, 3, [`0x${'b'.repeat(40)}`])])).toBeUndefined()
  const forged = { ...state(2, 3), owner: `0x${'c'.repeat(40)}` }
  const all = [forged, { ...forged, node: 3 }, { ...forged, node: 4 }]
  expect(findAgreed({ config }, all)).toBeUndefined()
})
