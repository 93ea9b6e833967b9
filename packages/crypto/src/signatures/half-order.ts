/** Half of the order of secp256k1: a larger s is the malleable twin of a signature and rejected (EIP-2). */
export const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
