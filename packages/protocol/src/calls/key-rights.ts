import * as v from 'valibot'
import { makeCall } from '../call.ts'
import { identitySchema } from '../networks/chain-families.ts'
import { change, changeErrors, someAddresses, subject } from './key-frame.ts'

/** `PUT /api/setSharedKey/{node}`: gives more addresses read access. */
export const shareKey = /* @__PURE__ */ makeCall(() => ({
  ...change,
  id: 'shareKey',
  method: 'PUT',
  path: '/api/setSharedKey/{node}',
  summary: 'Share with addresses',
  description: 'Owner only. Sharing again with the same address has no effect.',
  body: { kind: 'json', schema: v.object({ ...subject, shareTo: someAddresses }) },
  errors: [...changeErrors, 'KEY_LIMIT', 'KEY_RETIRED'],
  dialect: 'keyNodeShare',
}))

/** `DELETE /api/setSharedKey/{node}`: revokes the read access of addresses. */
export const revokeKey = /* @__PURE__ */ makeCall(() => ({
  ...change,
  id: 'revokeKey',
  method: 'DELETE',
  path: '/api/setSharedKey/{node}',
  summary: 'Revoke addresses',
  description:
    'Owner only. The addresses can no longer retrieve the key, but may have kept a copy. Revoking an address without access succeeds.',
  body: { kind: 'json', schema: v.object({ ...subject, revokeTo: someAddresses }) },
  errors: changeErrors,
}))

/** `POST /api/transferOwnership/{node}`: transfers a file to another owner. */
export const transferOwnership = /* @__PURE__ */ makeCall(() => ({
  ...change,
  id: 'transferOwnership',
  method: 'POST',
  path: '/api/transferOwnership/{node}',
  summary: 'Transfer ownership',
  description:
    'Owner only. Keeps the conditions, and clears the list of addresses unless resetSharedTo is false. A retired key cannot be transferred.',
  body: {
    kind: 'json',
    schema: v.object({
      ...subject,
      newOwner: identitySchema,
      resetSharedTo: v.optional(v.nullable(v.boolean())),
    }),
  },
  errors: [...changeErrors, 'KEY_LIMIT', 'KEY_RETIRED'],
}))
