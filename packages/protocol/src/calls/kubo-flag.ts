import * as v from 'valibot'

/** A yes or no of Kubo's RPC, as its clients write it. */
export const kuboFlag = v.optional(
  v.pipe(
    v.picklist(['true', 'false', '1', '0', '']),
    v.transform((text) => text === 'true' || text === '1'),
  ),
)
