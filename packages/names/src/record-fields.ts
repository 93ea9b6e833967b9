/** Field numbers of a record. @see https://specs.ipfs.tech/ipns/ipns-record/#record-serialization-format */
export const recordFields = {
  value: 1,
  signatureV1: 2,
  validityType: 3,
  validity: 4,
  sequence: 5,
  ttl: 6,
  publicKey: 7,
  signatureV2: 8,
  data: 9,
} as const
